// What the programs for ns-3 share: lists in options, a network of hosts at two routers whose link has a queue
// discipline, and what is seen of it. The device there holds one packet besides the one that it transmits, so a packet's
// wait is measured from the discipline to the wire.

#pragma once

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// What stands between commas.
inline std::vector<std::string>
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

inline std::vector<double>
Numbers(const std::string& text)
{
    std::vector<double> numbers;
    for (const std::string& part : Parts(text))
    {
        numbers.push_back(std::stod(part));
    }
    return numbers;
}

// What happens at the bottleneck once counting has begun.
class Watch
{
  public:
    Watch(ns3::Ptr<ns3::QueueDisc> queue, ns3::Ptr<ns3::NetDevice> device, ns3::Time from)
        : m_from(from)
    {
        queue->TraceConnectWithoutContext("Enqueue", ns3::MakeCallback(&Watch::Arrived, this));
        queue->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&Watch::Dropped, this));
        queue->TraceConnectWithoutContext("Mark", ns3::MakeCallback(&Watch::Marked, this));
        device->TraceConnectWithoutContext("PhyTxBegin", ns3::MakeCallback(&Watch::Started, this));
    }

    uint64_t m_dropped = 0;
    uint64_t m_marked = 0;
    uint64_t m_started = 0;
    double m_wait = 0;

  private:
    bool Counts() const
    {
        return ns3::Simulator::Now() >= m_from;
    }

    void Arrived(ns3::Ptr<const ns3::QueueDiscItem> item)
    {
        m_arrivals[item->GetPacket()->GetUid()] = ns3::Simulator::Now();
    }

    void Dropped(ns3::Ptr<const ns3::QueueDiscItem> item)
    {
        m_arrivals.erase(item->GetPacket()->GetUid());
        m_dropped += Counts();
    }

    void Marked(ns3::Ptr<const ns3::QueueDiscItem>, const char*)
    {
        m_marked += Counts();
    }

    void Started(ns3::Ptr<const ns3::Packet> packet)
    {
        const auto arrival = m_arrivals.find(packet->GetUid());
        if (Counts())
        {
            m_started++;
            // A packet that finds the device idle still passes the discipline.
            m_wait +=
                arrival == m_arrivals.end() ? 0 : (ns3::Simulator::Now() - arrival->second).GetSeconds();
        }
        if (arrival != m_arrivals.end())
        {
            m_arrivals.erase(arrival);
        }
    }

    ns3::Time m_from;
    std::unordered_map<uint64_t, ns3::Time> m_arrivals;
};

// Nodes, links and addresses.
class Network
{
  public:
    Network()
    {
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
        m_routers.Create(2);
        m_stack.Install(m_routers);
    }

    // The bottleneck, with a discipline of a class of ns-3's in front of it, and its settings: Name=value,...
    std::pair<ns3::Ptr<ns3::QueueDisc>, ns3::Ptr<ns3::NetDevice>>
    JoinRouters(double rate, double delay, const std::string& discipline, const std::string& settings)
    {
        ns3::PointToPointHelper link = Link(rate, delay);
        link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("1p"));
        ns3::NetDeviceContainer devices = link.Install(m_routers.Get(0), m_routers.Get(1));
        ns3::ObjectFactory factory;
        factory.SetTypeId(discipline);
        for (const std::string& setting : Parts(settings))
        {
            const auto at = setting.find('=');
            factory.Set(setting.substr(0, at), ns3::StringValue(setting.substr(at + 1)));
        }
        ns3::Ptr<ns3::QueueDisc> queue = factory.Create<ns3::QueueDisc>();
        if (auto fair = ns3::DynamicCast<ns3::FqCoDelQueueDisc>(queue))
        {
            fair->SetQuantum(1514);
        }
        m_routers.Get(0)->GetObject<ns3::TrafficControlLayer>()->SetRootQueueDiscOnDevice(devices.Get(0), queue);
        m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return {queue, devices.Get(0)};
    }

    // A host of its own at the left router (0) or the right one (1).
    ns3::Ptr<ns3::Node> Host(uint32_t side, double rate, double delay)
    {
        ns3::Ptr<ns3::Node> node = ns3::CreateObject<ns3::Node>();
        m_stack.Install(node);
        ns3::PointToPointHelper link = Link(rate, delay);
        link.DisableFlowControl();
        link.SetQueue("ns3::DropTailQueue", "MaxSize", ns3::StringValue("1000000p"));
        m_interfaces = m_addresses.Assign(link.Install(node, m_routers.Get(side)));
        m_addresses.NewNetwork();
        return node;
    }

    // Of the host that was made last.
    ns3::Ipv4Address LastAddress() const
    {
        return m_interfaces.GetAddress(0);
    }

  private:
    static ns3::PointToPointHelper Link(double rate, double delay)
    {
        ns3::PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(std::llround(rate))));
        link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::Seconds(delay)));
        return link;
    }

    ns3::InternetStackHelper m_stack;
    ns3::Ipv4AddressHelper m_addresses;
    ns3::Ipv4InterfaceContainer m_interfaces;
    ns3::NodeContainer m_routers;
};
