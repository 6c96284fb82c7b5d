/** The part of a run that all plots show, and the one cursor that they share. */

export class View {
  #listeners = [];

  constructor() {
    this.full = [0, 1];
    this.range = [0, 1];
    this.cursor = null;
  }

  /** Calls a function after each change, once a frame at most. */
  listen(listener) {
    let asked = false;
    this.#listeners.push(() => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(() => {
        asked = false;
        listener();
      });
    });
  }

  changed() {
    for (const listener of this.#listeners) listener();
  }

  /** Sets how long runs are; what is shown stays, where it is within. */
  setDuration(duration) {
    if (this.full[1] === duration) return;
    const whole = this.range[0] === this.full[0] && this.range[1] === this.full[1];
    this.full = [0, duration];
    if (whole || this.range[1] > duration) this.range = [0, duration];
    if (this.cursor > duration) this.cursor = null;
  }

  setCursor(time) {
    const [from, to] = this.full;
    this.cursor = time === null ? null : Math.min(to, Math.max(from, time));
    this.changed();
  }

  /** Moves the cursor by a part of what is shown, and what is shown with it. */
  move(part) {
    const [from, to] = this.range;
    this.setCursor((this.cursor ?? from) + part * (to - from));
    const span = to - from;
    if (this.cursor < from || this.cursor > to) this.show(this.cursor - span / 2, this.cursor + span / 2);
  }

  show(from, to) {
    const [least, most] = this.full;
    const span = Math.min(most - least, Math.max(to - from, 1e-6));
    const start = Math.min(most - span, Math.max(least, from));
    this.range = [start, start + span];
    this.changed();
  }

  /** Shows less, or more, around the cursor. */
  zoom(factor) {
    const [from, to] = this.range;
    const middle = this.cursor ?? (from + to) / 2;
    this.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }

  reset() {
    this.range = [...this.full];
    this.changed();
  }
}

/** What keys do to a view; returns true for those that do something. */
export function keyed(view, event) {
  const step = event.shiftKey ? 0.1 : 0.01;
  const does = {
    ArrowLeft: () => view.move(-step),
    ArrowRight: () => view.move(step),
    Home: () => view.setCursor(view.range[0]),
    End: () => view.setCursor(view.range[1]),
    "+": () => view.zoom(0.5),
    "=": () => view.zoom(0.5),
    "-": () => view.zoom(2),
    0: () => view.reset(),
    Escape: () => view.reset(),
  }[event.key];
  if (!does || event.ctrlKey || event.metaKey || event.altKey) return false;
  does();
  event.preventDefault();
  return true;
}
