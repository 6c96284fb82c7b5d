// A dumbbell: TCP flows, each with a host of its own on either side, over one bottleneck.
//
//   dumbbell --name=value ...        prints one line: RESULT key value ...
//
// The counterpart of ns2/dumbbell.tcl. Nothing is logged. htsim's TCP is NewReno without SACK, its least RTO is
// 0.25 s, and timers are looked at every 10 ms, as its own programs do.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "config.h"
#include "eventlist.h"
#include "network.h"
#include "pipe.h"
#include "queue.h"
#include "route.h"
#include "tcp.h"

namespace
{

const int HEADER_BYTES = 40;
const double RTX_SCAN_MS = 10;

using Options = std::map<std::string, std::string>;

Options
ReadOptions(int argc, char* argv[])
{
    Options options;
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        const size_t equals = word.find('=');
        if (word.rfind("--", 0) != 0 || equals == std::string::npos)
        {
            std::cerr << word << ": expected --name=value" << std::endl;
            std::exit(2);
        }
        options[word.substr(2, equals - 2)] = word.substr(equals + 1);
    }
    return options;
}

// Numbers with commas between them.
std::vector<double>
Numbers(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<double> numbers;
    for (std::string number; std::getline(stream, number, ',');)
    {
        numbers.push_back(std::stod(number));
    }
    return numbers;
}

// A drop-tail queue that counts arrivals.
class CountingQueue : public Queue
{
  public:
    CountingQueue(linkspeed_bps rate, mem_b bytes, EventList& events) : Queue(rate, bytes, events, nullptr)
    {
    }

    void receivePacket(Packet& packet) override
    {
        ++m_arrived;
        Queue::receivePacket(packet);
    }

    uint64_t Arrived() const
    {
        return m_arrived;
    }

  private:
    uint64_t m_arrived = 0;
};

// One direction of a link: a queue without a limit that matters, and a delay.
void
AddAccess(Route& route, linkspeed_bps rate, simtime_picosec delay, EventList& events)
{
    const mem_b unlimited = mem_b(1) << 40;
    route.push_back(new Queue(rate, unlimited, events, nullptr));
    route.push_back(new Pipe(delay, events));
}

} // namespace

int
main(int argc, char* argv[])
{
    Options options = ReadOptions(argc, argv);
    const double seconds = std::stod(options["time"]);
    const size_t flows = std::stoul(options["ntcp"]);
    const int packet_bytes = std::stoi(options["payload"]) + HEADER_BYTES;
    const uint32_t window_bytes = std::stoul(options["window"]) * packet_bytes;
    const mem_b limit_bytes = std::stoll(options["limit"]) * packet_bytes;
    const linkspeed_bps rate = std::stod(options["rate"]), access = std::stod(options["access"]);
    const simtime_picosec delay = timeFromSec(std::stod(options["delay"]));
    const std::vector<double> starts = Numbers(options["starts"]), delays = Numbers(options["accessdelays"]);
    if (starts.size() < flows || delays.size() < flows)
    {
        std::cerr << "starts and accessdelays: expected one a flow" << std::endl;
        return 2;
    }
    srand(std::stoi(options["seed"]));
    Packet::set_packet_size(packet_bytes);
    EventList& events = EventList::getTheEventList();
    events.setEndtime(std::max<simtime_picosec>(timeFromSec(seconds), 1)); // 0 would be no end
    TcpRtxTimerScanner scanner(timeFromMs(RTX_SCAN_MS), events);

    CountingQueue bottleneck(rate, limit_bytes, events);
    CountingQueue reverse(rate, limit_bytes, events);
    Pipe there(delay, events), back(delay, events);
    std::vector<TcpSink*> sinks;
    for (size_t i = 0; i < flows; ++i)
    {
        const simtime_picosec near = timeFromSec(delays[i]);
        auto* source = new TcpSrc(nullptr, nullptr, events);
        auto* sink = new TcpSink();
        source->set_cwnd(2 * packet_bytes);
        source->set_ssthresh(window_bytes);
        source->_maxcwnd = window_bytes;
        scanner.registerTcp(*source);
        auto *data = new Route(), *acks = new Route();
        AddAccess(*data, access, near, events);
        data->push_back(&bottleneck);
        data->push_back(&there);
        AddAccess(*data, access, near, events);
        data->push_back(sink);
        AddAccess(*acks, access, near, events);
        acks->push_back(&reverse);
        acks->push_back(&back);
        AddAccess(*acks, access, near, events);
        acks->push_back(source);
        source->connect(*data, *acks, *sink, timeFromSec(starts[i]));
        sinks.push_back(sink);
    }
    while (events.doNextEvent())
    {
    }

    double delivered = 0; // payload; htsim counts whole packets
    for (const TcpSink* sink : sinks)
    {
        delivered += double(sink->_cumulative_ack) * (packet_bytes - HEADER_BYTES) / packet_bytes;
    }
    std::cout << "RESULT packets_sent " << bottleneck.Arrived() << " bytes_delivered " << std::llround(delivered)
              << " packets_dropped " << bottleneck.num_drops() << std::endl;
    return 0;
}
