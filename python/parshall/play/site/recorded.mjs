/**
 * What a run has to record for the plots, and which port they look at. Recording changes nothing of what happens: a run of
 * the same file by the command has the same numbers.
 */

/** Samples of a series, about one a pixel. */
const SAMPLES = 1000;
/** Packets up to which each event at the bottleneck is kept. */
export const MOST_PACKETS = 80_000;
/** Flows up to which each has series of its own. */
const MOST_FLOWS = 64;

/** Ports that plots can look at, by name: links with a name, or else the slowest. The first is looked at unless another is asked for. */
export function bottlenecks(network) {
  const { links } = network;
  const named = links.filter((link) => link.name);
  const least = Math.min(...links.map((link) => link.rate));
  const chosen = named.length ? named : links.filter((link) => link.rate === least);
  const order = [...chosen].sort((a, b) => (b.name === "bottleneck") - (a.name === "bottleneck") || a.rate - b.rate);
  return order.slice(0, 8).map(portName);
}

const portName = (link) => link.name ?? `${link.between[0]}->${link.between[1]}`;

/** The link whose forward port has a name. */
export function linkOf(network, port) {
  return network.links.find((link) => portName(link) === port || `${link.between[0]}->${link.between[1]}` === port);
}

/** The network with a record of what the plots show; `packets` is how many the run is expected to have. */
export function recording(network, port, packets) {
  const asked = network.record ?? {};
  const interval = Math.max(network.duration / SAMPLES, 1e-6);
  const flows = network.flows.slice(0, MOST_FLOWS).map((flow) => flow.name);
  const record = {
    flow_series: { of: flows, interval },
    port_series: { of: [port], interval },
    ...(packets <= MOST_PACKETS && { packets: [port] }),
  };
  for (const key of ["responsiveness", "nonresponsive"]) if (asked[key]) record[key] = asked[key];
  return { ...network, record };
}
