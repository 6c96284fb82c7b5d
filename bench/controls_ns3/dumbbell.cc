// Bulk TCP flows with one congestion control, each with a host of its own on either side, over one bottleneck.
//
//   dumbbell --control=ns3::TcpBbr --disc=ns3::FifoQueueDisc --set=Name=value,... --starts=0.5,...
//
// Prints one line: RESULT key value ..., of what happened from the warm-up on; the last key, bytes, has a value for
// each flow. The device holds one packet besides the one that it transmits, so a packet's wait is measured from the
// discipline to the wire.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <unordered_map>
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

std::vector<std::string>
Parts(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, ',');)
    {
        parts.push_back(part);
    }
    return parts;
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

// What happens at the bottleneck once counting has begun.
class Watch
{
  public:
    Watch(Ptr<QueueDisc> queue, Ptr<NetDevice> device, Time from)
        : m_from(from)
    {
        queue->TraceConnectWithoutContext("Enqueue", MakeCallback(&Watch::Arrived, this));
        queue->TraceConnectWithoutContext("Drop", MakeCallback(&Watch::Dropped, this));
        queue->TraceConnectWithoutContext("Mark", MakeCallback(&Watch::Marked, this));
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Watch::Started, this));
    }

    uint64_t m_dropped = 0;
    uint64_t m_marked = 0;
    uint64_t m_started = 0;
    double m_wait = 0;

  private:
    bool Counts() const
    {
        return Simulator::Now() >= m_from;
    }

    void Arrived(Ptr<const QueueDiscItem> item)
    {
        m_arrivals[item->GetPacket()->GetUid()] = Simulator::Now();
    }

    void Dropped(Ptr<const QueueDiscItem> item)
    {
        m_arrivals.erase(item->GetPacket()->GetUid());
        m_dropped += Counts();
    }

    void Marked(Ptr<const QueueDiscItem>, const char*)
    {
        m_marked += Counts();
    }

    void Started(Ptr<const Packet> packet)
    {
        const auto arrival = m_arrivals.find(packet->GetUid());
        if (Counts())
        {
            m_started++;
            // A packet that finds the device idle still passes the discipline.
            m_wait += arrival == m_arrivals.end() ? 0 : (Simulator::Now() - arrival->second).GetSeconds();
        }
        if (arrival != m_arrivals.end())
        {
            m_arrivals.erase(arrival);
        }
    }

    Time m_from;
    std::unordered_map<uint64_t, Time> m_arrivals;
};

// Nodes, links and addresses.
class Network
{
  public:
    explicit Network(const Options& o)
        : m_options(o)
    {
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
        m_routers.Create(2);
        m_stack.Install(m_routers);
    }

    // The discipline in front of the bottleneck.
    std::pair<Ptr<QueueDisc>, Ptr<NetDevice>> JoinRouters()
    {
        PointToPointHelper link = Link(m_options.rate, m_options.delay);
        link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p"));
        NetDeviceContainer devices = link.Install(m_routers.Get(0), m_routers.Get(1));
        ObjectFactory factory;
        factory.SetTypeId(m_options.disc);
        for (const std::string& setting : Parts(m_options.settings))
        {
            const auto at = setting.find('=');
            factory.Set(setting.substr(0, at), StringValue(setting.substr(at + 1)));
        }
        Ptr<QueueDisc> queue = factory.Create<QueueDisc>();
        m_routers.Get(0)->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(devices.Get(0), queue);
        m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return {queue, devices.Get(0)};
    }

    // A host of its own at the left router (0) or the right one (1).
    Ptr<Node> Host(uint32_t side)
    {
        Ptr<Node> node = CreateObject<Node>();
        m_stack.Install(node);
        PointToPointHelper link = Link(m_options.access, m_options.accessdelay);
        link.DisableFlowControl();
        link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
        m_interfaces = m_addresses.Assign(link.Install(node, m_routers.Get(side)));
        m_addresses.NewNetwork();
        return node;
    }

    // Of the host that was made last.
    Ipv4Address LastAddress() const
    {
        return m_interfaces.GetAddress(0);
    }

  private:
    PointToPointHelper Link(double rate, double delay) const
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::llround(rate))));
        link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        return link;
    }

    const Options& m_options;
    InternetStackHelper m_stack;
    Ipv4AddressHelper m_addresses;
    Ipv4InterfaceContainer m_interfaces;
    NodeContainer m_routers;
};

Ptr<PacketSink>
AddFlow(Network& network, const Options& o, double start)
{
    const std::string protocol = "ns3::TcpSocketFactory";
    Ptr<Node> source = network.Host(0);
    Ptr<Node> target = network.Host(1);
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
    Network network(o);
    auto [queue, device] = network.JoinRouters();
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
