"""The playground: a page in ``site/`` that runs the engine in the browser, and what serves and copies it."""

from parshall.play.folder import copied, engine_of, page
from parshall.play.server import serving

__all__ = ["copied", "engine_of", "page", "serving"]
