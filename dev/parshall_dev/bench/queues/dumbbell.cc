// TCP and CBR flows, each with a host of its own on either side, over a bottleneck with one of ns-3's queue disciplines.
//
//   dumbbell --disc=ns3::CoDelQueueDisc --set=Name=value,... --accessdelays=0.001,... --starts=0.5,...
//
// Prints one line: RESULT key value ..., of what happened at the bottleneck from the warm-up on.

#include "../ns3/bottleneck.h"

#include "ns3/applications-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t PORT = 9;
const uint32_t UDP_HEADERS = 28;
const uint32_t LINK_HEADER = 2;
const uint32_t BUFFER = 1 << 21;

struct Options
{
    uint32_t seed = 1;
    double time = 60;
    double warmup = 10;
    double rate = 2e7;
    double delay = 0.01;
    double access = 1e8;
    std::string accessdelays;
    std::string starts;
    uint32_t ntcp = 12;
    uint32_t ncbr = 6;
    double cbrrate = 1e6;
    uint32_t payload = 1000;
    std::string disc = "ns3::CoDelQueueDisc";
    std::string settings;
};

Options
ReadOptions(int argc, char* argv[])
{
    Options o;
    CommandLine command;
    command.AddValue("seed", "of the random streams", o.seed);
    command.AddValue("time", "simulated seconds", o.time);
    command.AddValue("warmup", "seconds before anything counts", o.warmup);
    command.AddValue("rate", "of the bottleneck, bit/s", o.rate);
    command.AddValue("delay", "of the bottleneck, s", o.delay);
    command.AddValue("access", "rate of access links, bit/s", o.access);
    command.AddValue("accessdelays", "of each flow, s", o.accessdelays);
    command.AddValue("starts", "of each flow, s", o.starts);
    command.AddValue("ntcp", "TCP flows", o.ntcp);
    command.AddValue("ncbr", "CBR flows", o.ncbr);
    command.AddValue("cbrrate", "of a CBR flow, bit/s on the wire", o.cbrrate);
    command.AddValue("payload", "of TCP packets, bytes", o.payload);
    command.AddValue("disc", "ns-3's class", o.disc);
    command.AddValue("set", "attributes of the discipline", o.settings);
    command.Parse(argc, argv);
    return o;
}

void
SetTcpDefaults(const Options& o)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.2)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER));
}

Ptr<PacketSink>
AddFlow(Network& network, const Options& o, bool tcp, double start, double delay)
{
    Ptr<Node> source = network.Host(0, o.access, delay);
    Ptr<Node> target = network.Host(1, o.access, delay);
    InetSocketAddress address(network.LastAddress(), PORT);
    const std::string protocol = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    ApplicationContainer sender;
    if (tcp)
    {
        BulkSendHelper bulk(protocol, address);
        bulk.SetAttribute("SendSize", UintegerValue(o.payload));
        sender = bulk.Install(source);
    }
    else
    {
        const uint32_t payload = o.payload;
        const double wire = payload + UDP_HEADERS + LINK_HEADER;
        OnOffHelper cbr(protocol, address);
        cbr.SetConstantRate(DataRate(std::llround(o.cbrrate * payload / wire)), payload);
        sender = cbr.Install(source);
    }
    sender.Start(Seconds(start));
    PacketSinkHelper helper(protocol, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    return DynamicCast<PacketSink>(helper.Install(target).Get(0));
}

uint64_t
Received(const std::vector<Ptr<PacketSink>>& sinks, uint32_t from, uint32_t to)
{
    uint64_t bytes = 0;
    for (uint32_t i = from; i < to; ++i)
    {
        bytes += sinks[i]->GetTotalRx();
    }
    return bytes;
}

} // namespace

int
main(int argc, char* argv[])
{
    const Options o = ReadOptions(argc, argv);
    const std::vector<double> starts = Numbers(o.starts);
    const std::vector<double> delays = Numbers(o.accessdelays);
    const uint32_t flows = o.ntcp + o.ncbr;
    if (starts.size() < flows || delays.size() < flows)
    {
        std::cerr << "starts and accessdelays: expected one a flow" << std::endl;
        return 2;
    }
    RngSeedManager::SetSeed(o.seed);
    SetTcpDefaults(o);
    Network network;
    auto [queue, device] = network.JoinRouters(o.rate, o.delay, o.disc, o.settings);
    Watch watch(queue, device, Seconds(o.warmup));
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; ++i)
    {
        sinks.push_back(AddFlow(network, o, i < o.ntcp, starts[i], delays[i]));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    uint64_t tcpBefore = 0;
    uint64_t cbrBefore = 0;
    Simulator::Schedule(Seconds(o.warmup), [&]() {
        tcpBefore = Received(sinks, 0, o.ntcp);
        cbrBefore = Received(sinks, o.ntcp, flows);
    });
    Simulator::Stop(Seconds(o.time));
    Simulator::Run();
    std::cout << "RESULT dropped " << watch.m_dropped << " started " << watch.m_started << " wait "
              << watch.m_wait / watch.m_started << " tcp_bytes " << Received(sinks, 0, o.ntcp) - tcpBefore
              << " cbr_bytes " << Received(sinks, o.ntcp, flows) - cbrBefore << std::endl;
    Simulator::Destroy();
    return 0;
}
