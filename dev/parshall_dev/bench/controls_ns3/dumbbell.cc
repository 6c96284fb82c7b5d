// Bulk TCP flows with one congestion control, each with a host of its own on either side, over one bottleneck.
//
//   dumbbell --control=ns3::TcpBbr --disc=ns3::FifoQueueDisc --set=Name=value,... --starts=0.5,...
//
// Prints one line: RESULT key value ..., of what happened from the warm-up on; the last key, bytes, has a value for
// each flow.

#include "../ns3/bottleneck.h"

#include "ns3/applications-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const uint16_t PORT = 9;
// More than any of the networks holds: a buffer must not be what limits a sender, because ns-3.37 then crashes.
const uint32_t BUFFER = 1 << 24;

struct Options
{
    uint32_t seed = 1;
    double time = 30;
    double warmup = 10;
    double rate = 1e7;
    double delay = 0.005;
    double access = 1e9;
    double accessdelay = 0.0025;
    std::string starts = "0";
    uint32_t payload = 1460;
    uint32_t window = 10;
    uint32_t ssthresh = UINT32_MAX;
    std::string control = "ns3::TcpBbr";
    std::string ecn = "Off";
    std::string disc = "ns3::FifoQueueDisc";
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
    command.AddValue("accessdelay", "of each access link, s", o.accessdelay);
    command.AddValue("starts", "of each flow, s", o.starts);
    command.AddValue("payload", "of packets, bytes", o.payload);
    command.AddValue("window", "at first, packets", o.window);
    command.AddValue("ssthresh", "at first, bytes", o.ssthresh);
    command.AddValue("control", "ns-3's class", o.control);
    command.AddValue("ecn", "On or Off", o.ecn);
    command.AddValue("disc", "ns-3's class", o.disc);
    command.AddValue("set", "attributes of the discipline", o.settings);
    command.Parse(argc, argv);
    return o;
}

void
SetTcpDefaults(const Options& o)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue(o.control));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    // The option would make packets longer; without it round trips are not rounded to milliseconds either.
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(0.2)));
    Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue(o.ecn));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(o.window));
    Config::SetDefault("ns3::TcpSocket::InitialSlowStartThreshold", UintegerValue(o.ssthresh));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER));
}

Ptr<PacketSink>
AddFlow(Network& network, const Options& o, double start)
{
    const std::string protocol = "ns3::TcpSocketFactory";
    Ptr<Node> source = network.Host(0, o.access, o.accessdelay);
    Ptr<Node> target = network.Host(1, o.access, o.accessdelay);
    BulkSendHelper bulk(protocol, InetSocketAddress(network.LastAddress(), PORT));
    bulk.SetAttribute("SendSize", UintegerValue(o.payload));
    bulk.Install(source).Start(Seconds(start));
    PacketSinkHelper helper(protocol, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    return DynamicCast<PacketSink>(helper.Install(target).Get(0));
}

} // namespace

int
main(int argc, char* argv[])
{
    const Options o = ReadOptions(argc, argv);
    RngSeedManager::SetSeed(o.seed);
    SetTcpDefaults(o);
    Network network;
    auto [queue, device] = network.JoinRouters(o.rate, o.delay, o.disc, o.settings);
    Watch watch(queue, device, Seconds(o.warmup));
    std::vector<Ptr<PacketSink>> sinks;
    for (const std::string& start : Parts(o.starts))
    {
        sinks.push_back(AddFlow(network, o, std::stod(start)));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    std::vector<uint64_t> before;
    Simulator::Schedule(Seconds(o.warmup), [&]() {
        for (const auto& sink : sinks)
        {
            before.push_back(sink->GetTotalRx());
        }
    });
    Simulator::Stop(Seconds(o.time));
    Simulator::Run();
    std::cout << "RESULT dropped " << watch.m_dropped << " marked " << watch.m_marked << " started "
              << watch.m_started << " wait " << watch.m_wait / watch.m_started << " bytes";
    for (uint32_t i = 0; i < sinks.size(); ++i)
    {
        std::cout << " " << sinks[i]->GetTotalRx() - before[i];
    }
    std::cout << std::endl;
    Simulator::Destroy();
    return 0;
}
