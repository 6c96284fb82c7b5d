/**
 * Packets at the bottleneck around the cursor: each is a line from its arrival, above, to its departure, below, so that a long
 * queue makes slanted lines; a cross is a drop. Below them is the queue as it is at the cursor, packet by packet.
 */

import { fitted, indexAt, labels, palette, shown, ticks } from "./axes.mjs";
import { keyed } from "./view.mjs";

const ARRIVAL = 0;
const DEPARTURE = 1;
const LEFT = 52;
const RIGHT = 10;
const SPANS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const STRIP = 30;

export class Packets {
  #playing = false;

  constructor(host, view, say) {
    this.host = host;
    this.view = view;
    this.say = say;
    host.innerHTML = `<div class="bar">
        <button type="button" data-do="back" title="To the event before">◂ event</button>
        <button type="button" data-do="on" title="To the next event">event ▸</button>
        <button type="button" data-do="play">Play</button>
        <label>width <select aria-label="How much time is shown"></select></label>
        <ul class="legend"></ul></div>
      <div class="surface" tabindex="0" role="group" aria-label="Packets: arrow keys move the cursor"><canvas role="img"></canvas></div>
      <p class="at"></p>`;
    this.surface = host.querySelector(".surface");
    this.canvas = host.querySelector("canvas");
    this.line = host.querySelector(".at");
    this.legend = host.querySelector(".legend");
    this.span = host.querySelector("select");
    this.span.append(...SPANS.map((span) => new Option(span < 1 ? `${1e3 * span} ms` : `${span} s`, span)));
    this.span.addEventListener("change", () => {
      this.own = true;
      this.draw();
    });
    host.querySelector('[data-do="back"]').addEventListener("click", () => this.#step(-1));
    host.querySelector('[data-do="on"]').addEventListener("click", () => this.#step(1));
    this.playing = host.querySelector('[data-do="play"]');
    this.playing.addEventListener("click", () => this.#play());
    this.surface.addEventListener("keydown", (event) => {
      if (keyed(this.#ownView(), event)) requestAnimationFrame(() => this.say(this.line.textContent));
    });
    this.surface.addEventListener("pointerdown", (event) => {
      const place = event.clientX - this.canvas.getBoundingClientRect().left;
      const [from, to] = this.#range();
      this.view.setCursor(from + ((place - LEFT) / (this.canvas.clientWidth - LEFT - RIGHT)) * (to - from));
    });
    new ResizeObserver(() => this.draw()).observe(this.surface);
    // What nobody sees is not worked out: a slider that moves makes many runs.
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.seen = isIntersecting;
      this.draw();
    }).observe(this.surface);
  }

  /** A view whose steps are those of this picture. */
  #ownView() {
    const { view } = this;
    return Object.assign(Object.create(view), {
      move: (part) => view.setCursor((view.cursor ?? this.#middle()) + part * Number(this.span.value)),
      zoom: (factor) => {
        this.own = true;
        const at = SPANS.indexOf(Number(this.span.value)) + (factor < 1 ? -1 : 1);
        this.span.value = SPANS[Math.min(SPANS.length - 1, Math.max(0, at))];
        this.draw();
      },
    });
  }

  /** Shows the events of a run, whose flows are coloured by `colourOf`. */
  show(result, colourOf) {
    this.events = result.packets;
    if (!this.events) return;
    this.colourOf = colourOf;
    this.flows = result.flows;
    this.name = result.port;
    this.duration = result.duration;
    this.result = result;
    this.packets = null;
    this.legend.replaceChildren(
      ...result.groups.map(({ name }, at) => {
        const item = document.createElement("li");
        const swatch = document.createElement("i");
        swatch.style.setProperty("--own", `var(--series-${(at % 8) + 1})`);
        item.append(swatch, name);
        return item;
      }),
    );
    this.draw();
  }

  #prepare() {
    this.packets = this.#matched();
    this.arrivals = Float64Array.from(this.packets, (packet) => packet.at);
    if (!this.own) this.#choose(this.result);
  }

  /** A width at which about 120 packets are to be seen, or all of the longest wait. */
  #choose({ duration, numbers }) {
    const wait = (1.2 * (Number.isNaN(numbers.delay95) ? numbers.delay : numbers.delay95)) / 1e3;
    const wanted = Math.max(wait, (120 * duration) / Math.max(1, this.packets.length));
    this.span.value = SPANS.find((span) => span >= wanted) ?? SPANS.at(-1);
  }

  /** Packets with arrival, departure (NaN of those that are dropped or still wait at the end). */
  #matched() {
    const { time, event, ack, flow, seq } = this.events;
    const waiting = new Map();
    const packets = [];
    for (let row = 0; row < time.length; row++) {
      const key = `${flow[row]} ${seq[row]} ${ack[row]}`;
      if (event[row] === ARRIVAL) {
        const packet = { at: time[row], left: NaN, dropped: NaN, flow: flow[row], seq: seq[row], ack: ack[row] };
        packets.push(packet);
        if (!waiting.has(key)) waiting.set(key, []);
        waiting.get(key).push(packet);
      } else {
        // A queue that drops at arrival says so with the arrival; one that drops at departure later.
        const own = waiting.get(key);
        const packet = event[row] === DEPARTURE ? own?.shift() : own?.pop();
        if (packet) packet[event[row] === DEPARTURE ? "left" : "dropped"] = time[row];
        else if (event[row] !== DEPARTURE) packets.push({ at: time[row], left: NaN, dropped: time[row], flow: flow[row], seq: seq[row], ack: ack[row] });
      }
    }
    return packets;
  }

  #middle() {
    return (this.view.range[0] + this.view.range[1]) / 2;
  }

  #range() {
    const span = Number(this.span.value);
    const middle = this.view.cursor ?? this.#middle();
    return [middle - span / 2, middle + span / 2];
  }

  draw() {
    if (!this.events || !this.surface.clientWidth || !this.seen) return;
    if (!this.packets) this.#prepare();
    const { context, width, height } = fitted(this.canvas);
    const colours = palette(this.host);
    const [from, to] = this.#range();
    const top = 22;
    const bottom = height - STRIP - 34;
    const x = (time) => LEFT + ((time - from) / (to - from)) * (width - LEFT - RIGHT);
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colours.faint;
    context.textAlign = "right";
    context.fillText("arrive", LEFT - 6, top + 4);
    context.fillText("depart", LEFT - 6, bottom + 4);
    context.fillText("waiting", LEFT - 6, height - STRIP / 2 + 2);
    this.#axis(context, colours, { from, to, x, top, bottom, width });
    const cursor = this.view.cursor ?? this.#middle();
    const { waiting, lost } = this.#lines(context, colours, { from, to, x, top, bottom, cursor });
    this.#strip(context, colours, { waiting, width, y: height - STRIP + 4 });
    context.strokeStyle = colours.ink;
    context.beginPath();
    context.moveTo(Math.round(x(cursor)) + 0.5, top - 12);
    context.lineTo(Math.round(x(cursor)) + 0.5, bottom + 6);
    context.stroke();
    this.#tell(cursor, waiting, lost);
  }

  #axis(context, colours, { from, to, x, top, bottom, width }) {
    const places = ticks(from, to, Math.max(2, (width - LEFT) / 110));
    context.textAlign = "center";
    labels(places).forEach((label, at) => {
      if (x(places[at]) < LEFT + 10 || x(places[at]) > width - 24) return;
      context.fillText(`${label} s`, x(places[at]), bottom + 18);
    });
    context.strokeStyle = colours.faint;
    context.lineWidth = 1;
    for (const y of [top, bottom]) {
      context.beginPath();
      context.moveTo(LEFT, y + 0.5);
      context.lineTo(width - RIGHT, y + 0.5);
      context.stroke();
    }
  }

  /** Draws the packets; returns those that wait at the cursor, and the last that was lost before it. */
  #lines(context, colours, { from, to, x, top, bottom, cursor }) {
    const waiting = [];
    let lost = null;
    context.save();
    context.beginPath();
    context.rect(LEFT, 0, x(to) - LEFT, bottom + 8);
    context.clip();
    this.thin = this.packets.length * ((to - from) / this.duration) > 300;
    context.lineWidth = this.thin ? 0.6 : 1.3;
    const last = indexAt(this.arrivals, Math.max(to, cursor));
    for (let at = last; at >= 0; at--) {
      const packet = this.packets[at];
      if (packet.at < from - 30) break;
      const gone = Number.isNaN(packet.dropped) ? packet.left : packet.dropped;
      if (packet.at <= cursor && !(gone <= cursor) && packet.dropped !== packet.at) waiting.push(packet);
      if (packet.dropped <= cursor && !(lost?.dropped > packet.dropped)) lost = packet;
      if (packet.at > to || gone < from) continue;
      this.#packet(context, colours, packet, { x, top, bottom, to });
    }
    context.restore();
    // First in, first out, as far as it is known who leaves when.
    waiting.sort((a, b) => (Number.isNaN(a.left) ? Infinity : a.left) - (Number.isNaN(b.left) ? Infinity : b.left) || a.at - b.at);
    return { waiting, lost };
  }

  #packet(context, colours, { at, left, dropped, flow }, { x, top, bottom, to }) {
    context.strokeStyle = colours.series[this.colourOf(flow) % 8];
    const end = Number.isNaN(left) ? to : left;
    if (Number.isNaN(dropped)) {
      context.beginPath();
      context.moveTo(x(at), top);
      context.lineTo(x(end), Number.isNaN(left) ? top : bottom);
      context.stroke();
      return;
    }
    const y = dropped > at ? (top + bottom) / 2 : top - 6;
    if (dropped > at) {
      context.beginPath();
      context.moveTo(x(at), top);
      context.lineTo(x(dropped), y);
      context.stroke();
    }
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x(dropped) - 4, y - 4);
    context.lineTo(x(dropped) + 4, y + 4);
    context.moveTo(x(dropped) - 4, y + 4);
    context.lineTo(x(dropped) + 4, y - 4);
    context.stroke();
    context.lineWidth = this.thin ? 0.6 : 1.3;
  }

  /** The queue at the cursor: the packet that leaves next is on the left. */
  #strip(context, colours, { waiting, width, y }) {
    const room = width - LEFT - RIGHT;
    const each = Math.min(14, Math.max(1, room / Math.max(1, waiting.length)));
    waiting.slice(0, Math.floor(room / each)).forEach((packet, at) => {
      context.fillStyle = colours.series[this.colourOf(packet.flow) % 8];
      context.fillRect(LEFT + at * each, y, each > 3 ? each - 1.5 : each, STRIP - 12);
    });
    if (!waiting.length) {
      context.fillStyle = colours.faint;
      context.textAlign = "left";
      context.fillText("nothing waits", LEFT + 2, y + 13);
    }
  }

  #tell(cursor, waiting, lost) {
    const counts = new Map();
    for (const { flow } of waiting) counts.set(flow, (counts.get(flow) ?? 0) + 1);
    const most = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4);
    const names = most.map(([flow, count]) => `${this.flows[flow]} ${count}`).join(", ");
    const of = names ? ` (${names}${counts.size > 4 ? ", ..." : ""})` : "";
    const drop = lost ? `; last drop: ${this.flows[lost.flow]}, packet ${lost.seq}, at ${shown(lost.dropped, 5)} s` : "";
    this.line.textContent = `At ${cursor.toFixed(4)} s ${waiting.length} ${waiting.length === 1 ? "packet waits" : "packets wait"} at ${this.name}${of}${drop}.`;
    this.canvas.setAttribute("aria-label", this.line.textContent);
  }

  /** Moves the cursor to the next event, or to the one before. */
  #step(by) {
    const cursor = this.view.cursor ?? this.#middle();
    let at = indexAt(this.events.time, cursor);
    if (by > 0) at++;
    else while (at >= 0 && this.events.time[at] >= cursor) at--;
    if (at >= 0 && at < this.events.time.length) this.view.setCursor(this.events.time[at]);
  }

  /** Lets time go by: a tenth of the width shown each second. */
  #play() {
    this.#playing = !this.#playing;
    this.playing.textContent = this.#playing ? "Pause" : "Play";
    let before = performance.now();
    const frame = (now) => {
      if (!this.#playing || this.host.hidden) return;
      this.view.setCursor((this.view.cursor ?? this.#middle()) + ((now - before) / 1e4) * Number(this.span.value));
      before = now;
      requestAnimationFrame(frame);
    };
    if (this.#playing) requestAnimationFrame(frame);
  }
}
