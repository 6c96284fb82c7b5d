/** Tables: the numbers of a run and of the runs that are pinned, side by side; its flows; timeouts on round trips of one's own. */

import { shown } from "./axes.mjs";

const ROWS = [
  ["goodput", "Goodput, all flows", "Mbit/s"],
  ["delay", "Mean queueing delay", "ms"],
  ["delay95", "95th percentile of it", "ms"],
  ["utilisation", "Utilisation", "%"],
  ["dropRate", "Dropped or lost", "%"],
  ["marked", "Marked (ECN)", ""],
  ["retransmitted", "Retransmitted", "packets"],
  ["timeouts", "Timeouts", ""],
  ["spurious", "of them spurious", ""],
  ["rto", "Mean retransmission timeout", "ms"],
  ["fairness", "Jain's index, flows of one kind", ""],
];

const cell = (tag, text, scope) => {
  const made = document.createElement(tag);
  made.textContent = text;
  if (scope) made.scope = scope;
  return made;
};

/** Fills a table with the runs, { label, result }. With two or more, the last column is the change from the first to the second. */
export function numbers(host, runs) {
  const head = cell("tr", "");
  head.append(cell("th", "", "col"), ...runs.map(({ label }) => cell("th", label, "col")));
  if (runs.length > 1) head.append(cell("th", `${runs[1].label} against ${runs[0].label}`, "col"));
  const rows = ROWS.flatMap(([key, title, unit]) => row(title, unit, runs.map(({ result }) => result.numbers[key])));
  const body = document.createElement("tbody");
  body.append(...rows);
  const top = document.createElement("thead");
  top.append(head);
  host.replaceChildren(top, body);
}

function row(title, unit, values) {
  if (values.every((value) => Number.isNaN(value) || value === null)) return [];
  const made = document.createElement("tr");
  made.append(cell("th", unit ? `${title}, ${unit}` : title, "row"), ...values.map((value) => cell("td", shown(value))));
  if (values.length > 1) made.append(cell("td", change(values[0], values[1])));
  return [made];
}

function change(from, to) {
  if (Number.isNaN(from) || Number.isNaN(to) || from === to) return from === to ? "same" : "–";
  if (from === 0) return "–";
  const factor = to / from;
  return factor >= 2 ? `× ${shown(factor)}` : factor <= 0.5 && factor > 0 ? `÷ ${shown(1 / factor)}` : `${factor > 1 ? "+" : "−"}${shown(100 * Math.abs(factor - 1), 2)} %`;
}

/** Fills a table with a row a flow. */
export function perFlow(host, result) {
  const rows = result.numbers.flows.map((flow) => [flow.name, shown(flow.goodput), flow.dropped, ...(flow.tcp ? [flow.retransmitted, flow.timeouts] : ["", ""])]);
  fill(host, ["Flow", "Goodput, Mbit/s", "Dropped", "Retransmitted", "Timeouts"], rows);
}

/** Fills a table with a row for each filter of the retransmission timeout. */
export function perFilter(host, filters) {
  const percent = ({ early, samples }) => `${shown((100 * early) / samples, 2)} %`;
  const rows = filters.map((each) => [each.filter, each.early, percent(each), shown(1e3 * each.mean_rto), shown(each.in_rtts)]);
  fill(host, ["Filter", "Early", "of all", "Mean timeout, ms", "in round trips"], rows);
}

function fill(host, titles, rows) {
  const head = cell("tr", "");
  head.append(...titles.map((title) => cell("th", title, "col")));
  const top = document.createElement("thead");
  top.append(head);
  const body = document.createElement("tbody");
  body.append(
    ...rows.map(([name, ...values]) => {
      const made = cell("tr", "");
      made.append(cell("th", name, "row"), ...values.map((value) => cell("td", value)));
      return made;
    }),
  );
  host.replaceChildren(top, body);
}
