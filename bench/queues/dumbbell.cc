// TCP and CBR flows, each with a host of its own on either side, over a bottleneck with one of ns-3's queue disciplines.
//
//   dumbbell --disc=ns3::CoDelQueueDisc --set=Name=value,... --accessdelays=0.001,... --starts=0.5,...
//
// Prints one line: RESULT key value ..., of what happened at the bottleneck from the warm-up on. The device holds one
// packet besides the one that it transmits, so a packet's wait is measured from the discipline to the wire.

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

// What happens at the bottleneck once counting has begun.
class Watch
{
  public:
    Watch(Ptr<QueueDisc> queue, Ptr<NetDevice> device, Time from)
        : m_from(from)
    {
        queue->TraceConnectWithoutContext("Enqueue", MakeCallback(&Watch::Arrived, this));
        queue->TraceConnectWithoutContext("Drop", MakeCallback(&Watch::Dropped, this));
        device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Watch::Started, this));
    }

    uint64_t m_dropped = 0;
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
        std::istringstream stream(m_options.settings);
        for (std::string setting; std::getline(stream, setting, ',');)
        {
            const auto at = setting.find('=');
            factory.Set(setting.substr(0, at), StringValue(setting.substr(at + 1)));
        }
        Ptr<QueueDisc> queue = factory.Create<QueueDisc>();
        if (auto fair = DynamicCast<FqCoDelQueueDisc>(queue))
        {
            fair->SetQuantum(1514);
        }
        m_routers.Get(0)->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(devices.Get(0), queue);
        m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return {queue, devices.Get(0)};
    }

    // A host of its own at the left router (0) or the right one (1).
    Ptr<Node> Host(uint32_t side, double delay)
    {
        Ptr<Node> node = CreateObject<Node>();
        m_stack.Install(node);
        PointToPointHelper link = Link(m_options.access, delay);
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
AddFlow(Network& network, const Options& o, bool tcp, double start, double delay)
{
    Ptr<Node> source = network.Host(0, delay);
    Ptr<Node> target = network.Host(1, delay);
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
    Network network(o);
    auto [queue, device] = network.JoinRouters();
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
