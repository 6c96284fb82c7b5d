/** Axes: round ticks, numbers as people write them, and a place on a canvas for each value. */

/** Round values within a range, `count` of them or a few less, and no closer than `least`. */
export function ticks(from, to, count, least = 0) {
  const span = to - from;
  if (!(span > 0)) return [from];
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999 && each >= least) ?? least;
  const first = Math.ceil(from / step - 1e-9);
  const found = [];
  for (let at = first; at * step <= to + step * 1e-9; at++) found.push(at * step);
  return found;
}

/** A number in at most so many figures, without an exponent. */
export function shown(value, figures = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  const text = value.toFixed(Math.min(9, Math.max(0, figures - 1 - size)));
  const [whole, part] = text.split(".");
  const spaced = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = part?.replace(/0+$/, "");
  return rest ? `${spaced}.${rest}` : spaced;
}

/** Ticks with as many decimals as tell them apart. */
export function labels(values) {
  const step = values.length > 1 ? values[1] - values[0] : 1;
  const decimals = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)));
  return values.map((value) => value.toFixed(decimals).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ","));
}

/** The index of the last time that is not after an instant, or -1. */
export function indexAt(time, instant) {
  let low = 0;
  let high = time.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle] <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The colours of the page, as canvases need them. */
export function palette(element) {
  const style = getComputedStyle(element);
  const get = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: get("ink"),
    faint: get("faint"),
    grid: get("grid"),
    paper: get("paper"),
    series: Array.from({ length: 8 }, (_, at) => get(`series-${at + 1}`)),
    drop: get("drop"),
  };
}

/** A canvas that is as sharp as the screen; returns its context, scaled to CSS pixels. */
export function fitted(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}
