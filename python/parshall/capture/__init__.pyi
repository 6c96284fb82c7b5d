from .reading import Capture as Capture
from .replay import Replayed as Replayed
