// A dumbbell: TCP and CBR flows, each with a host of its own on either side, over one bottleneck.
//
//   dumbbell --name=value ...        prints one line: RESULT key value ...
//
// The counterpart of ns2/dumbbell.tcl. Nothing is traced; what is printed are counters that ns-3 keeps anyway.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

// What ns-3 adds to a payload: IP and UDP headers, and the header of a point-to-point link.
const uint32_t UDP_HEADERS = 28;
const uint32_t LINK_HEADER = 2;
// Of a TCP socket, in bytes. ns-3.37 crashes (a null pointer in TcpRateLinux::SkbSent) where a buffer limits a
// sender that has lost a packet, so that the receiver's window cannot be that of the other simulators.
const uint32_t BUFFER = 1 << 21;

struct Options
{
    uint32_t seed = 1;
    double time = 1.0;           // simulated seconds
    double rate = 28e6;          // of the bottleneck, bit/s
    double delay = 0.05;         // of the bottleneck, s
    uint32_t limit = 60;         // packets, the one in transmission included
    double access = 100e6;       // rate of the links to the hosts
    std::string accessdelays;    // of each flow, s, with commas between
    std::string starts;          // of each flow, s, with commas between
    uint32_t ntcp = 35;          // TCP flows, which come first
    std::string recovery = "ns3::TcpPrrRecovery";
    uint32_t payload = 1000;     // of a TCP packet
    double minrto = 0.2;         // s
    uint32_t ncbr = 0;           // CBR flows
    double cbrrate = 1e6;        // bit/s on the wire
    uint32_t cbrpacket = 1000;   // bytes on the wire
};

Options
ReadOptions(int argc, char* argv[])
{
    Options o;
    CommandLine command;
    command.AddValue("seed", "of the random streams", o.seed);
    command.AddValue("time", "simulated seconds", o.time);
    command.AddValue("rate", "of the bottleneck, bit/s", o.rate);
    command.AddValue("delay", "of the bottleneck, s", o.delay);
    command.AddValue("limit", "of its queue, packets", o.limit);
    command.AddValue("access", "rate of access links, bit/s", o.access);
    command.AddValue("accessdelays", "of each flow, s", o.accessdelays);
    command.AddValue("starts", "of each flow, s", o.starts);
    command.AddValue("ntcp", "TCP flows", o.ntcp);
    command.AddValue("recovery", "ns-3's class", o.recovery);
    command.AddValue("payload", "of TCP packets, bytes", o.payload);
    command.AddValue("minrto", "least RTO, s", o.minrto);
    command.AddValue("ncbr", "CBR flows", o.ncbr);
    command.AddValue("cbrrate", "of a CBR flow, bit/s", o.cbrrate);
    command.AddValue("cbrpacket", "on the wire, bytes", o.cbrpacket);
    command.Parse(argc, argv);
    return o;
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

// The TCP of the other two simulators, as far as ns-3 has it. SACK is always on: without it ns-3.37 repairs a
// window so slowly that it does not simulate the same load.
void
SetTcpDefaults(const Options& o)
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(TypeId::LookupByName(o.recovery)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(o.minrto)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(o.payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(BUFFER));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(BUFFER));
}

// Nodes, links and addresses; queues are those of the devices.
class Network
{
  public:
    Network()
    {
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
        m_routers.Create(2);
        m_stack.Install(m_routers);
    }

    NetDeviceContainer Join(Ptr<Node> a, Ptr<Node> b, double rate, double delay, uint32_t waiting)
    {
        PointToPointHelper link;
        link.DisableFlowControl(); // or packets are dropped above the queue, and not counted
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::llround(rate))));
        link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        link.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, waiting)));
        NetDeviceContainer devices = link.Install(a, b);
        m_interfaces = m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return devices;
    }

    // A host of its own at the left router (0) or the right one (1).
    Ptr<Node> Host(uint32_t side, double rate, double delay)
    {
        Ptr<Node> node = CreateObject<Node>();
        m_stack.Install(node);
        Join(node, m_routers.Get(side), rate, delay, UNLIMITED);
        return node;
    }

    Ptr<Node> Router(uint32_t side) const
    {
        return m_routers.Get(side);
    }

    // Of the node that was joined last as the first of two.
    Ipv4Address LastAddress() const
    {
        return m_interfaces.GetAddress(0);
    }

    static constexpr uint32_t UNLIMITED = 1000000;

  private:
    InternetStackHelper m_stack;
    Ipv4AddressHelper m_addresses;
    Ipv4InterfaceContainer m_interfaces;
    NodeContainer m_routers;
};

const uint16_t PORT = 9;

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
        const uint32_t payload = o.cbrpacket - UDP_HEADERS - LINK_HEADER;
        OnOffHelper cbr(protocol, address);
        cbr.SetConstantRate(DataRate(std::llround(o.cbrrate * payload / o.cbrpacket)), payload);
        sender = cbr.Install(source);
    }
    sender.Start(Seconds(start));
    PacketSinkHelper helper(protocol, InetSocketAddress(Ipv4Address::GetAny(), PORT));
    return DynamicCast<PacketSink>(helper.Install(target).Get(0));
}

} // namespace

int
main(int argc, char* argv[])
{
    const Options o = ReadOptions(argc, argv);
    const std::vector<double> starts = Numbers(o.starts);
    const std::vector<double> delays = Numbers(o.accessdelays);
    if (starts.size() < o.ntcp + o.ncbr || delays.size() < o.ntcp + o.ncbr)
    {
        std::cerr << "starts and accessdelays: expected one a flow" << std::endl;
        return 2;
    }
    RngSeedManager::SetSeed(o.seed);
    SetTcpDefaults(o);
    Network network;
    // ns-3 does not count the packet in transmission.
    NetDeviceContainer bottleneck =
        network.Join(network.Router(0), network.Router(1), o.rate, o.delay, o.limit - 1);
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < o.ntcp + o.ncbr; ++i)
    {
        sinks.push_back(AddFlow(network, o, i < o.ntcp, starts[i], delays[i]));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    Simulator::Stop(Seconds(o.time));
    Simulator::Run();

    double delivered = 0;
    for (uint32_t i = 0; i < sinks.size(); ++i)
    {
        const double share = i < o.ntcp ? 1.0 : o.cbrpacket / double(o.cbrpacket - UDP_HEADERS - LINK_HEADER);
        delivered += sinks[i]->GetTotalRx() * share;
    }
    Ptr<Queue<Packet>> queue = DynamicCast<PointToPointNetDevice>(bottleneck.Get(0))->GetQueue();
    std::cout << "RESULT packets_sent " << queue->GetTotalReceivedPackets() + queue->GetTotalDroppedPackets()
              << " bytes_delivered " << std::llround(delivered) << " packets_dropped "
              << queue->GetTotalDroppedPackets() << std::endl;
    Simulator::Destroy();
    return 0;
}
