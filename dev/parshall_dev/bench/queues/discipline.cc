// One of ns-3's queue disciplines in front of a link, without a network: packets arrive when a file says so.
//
//   discipline --arrivals=FILE --disc=ns3::CoDelQueueDisc --rate=1e7 [--quantum=1514] --set=Name=value,...
//
// A line of the file is a packet: picoseconds, flow, bytes. Prints a line for each packet that is sent, with its number
// in the file and the picosecond at which its transmission starts, and at the end RESULT and what was dropped.

#include "ns3/core-module.h"
#include "ns3/network-module.h"
#include "ns3/traffic-control-module.h"

#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

struct Arrival
{
    int64_t ps;
    uint32_t flow;
    uint32_t bytes;
};

// A packet that knows its number, and its flow in place of addresses.
class Item : public QueueDiscItem
{
  public:
    Item(uint32_t number, const Arrival& arrival)
        : QueueDiscItem(Create<Packet>(arrival.bytes), Address(), 0),
          m_number(number),
          m_flow(arrival.flow)
    {
    }

    void AddHeader() override
    {
    }

    bool Mark() override
    {
        return false;
    }

    uint32_t Hash(uint32_t) const override
    {
        return m_flow;
    }

    uint32_t Number() const
    {
        return m_number;
    }

  private:
    uint32_t m_number;
    uint32_t m_flow;
};

// A link that asks the discipline for a packet whenever it is free.
class Link
{
  public:
    Link(Ptr<QueueDisc> queue, double rate, std::vector<Arrival> arrivals)
        : m_queue(queue),
          m_psPerByte(8e12 / rate),
          m_arrivals(std::move(arrivals))
    {
        ScheduleArrival();
    }

  private:
    void ScheduleArrival()
    {
        if (m_next < m_arrivals.size())
        {
            const Time wait = PicoSeconds(m_arrivals[m_next].ps) - Simulator::Now();
            Simulator::Schedule(wait, &Link::Arrive, this);
        }
    }

    void Arrive()
    {
        if (m_busy && Simulator::Now() == m_freeAt)
        {
            Simulator::ScheduleNow(&Link::Arrive, this); // a departure at the instant of an arrival comes first
            return;
        }
        Ptr<Item> item = Create<Item>(m_next, m_arrivals[m_next]);
        item->SetTimeStamp(Simulator::Now());
        m_queue->Enqueue(item);
        ++m_next;
        ScheduleArrival();
        if (!m_busy)
        {
            Serve();
        }
    }

    void Serve()
    {
        Ptr<QueueDiscItem> item = m_queue->Dequeue();
        m_busy = bool(item);
        if (m_busy)
        {
            std::cout << DynamicCast<Item>(item)->Number() << ' ' << Simulator::Now().GetPicoSeconds() << '\n';
            const Time takes = PicoSeconds(std::llround(item->GetSize() * m_psPerByte));
            m_freeAt = Simulator::Now() + takes;
            Simulator::Schedule(takes, &Link::Serve, this);
        }
    }

    Ptr<QueueDisc> m_queue;
    double m_psPerByte;
    std::vector<Arrival> m_arrivals;
    uint32_t m_next = 0;
    bool m_busy = false;
    Time m_freeAt;
};

std::vector<Arrival>
ReadArrivals(const std::string& file)
{
    std::ifstream stream(file);
    std::vector<Arrival> arrivals;
    for (Arrival a; stream >> a.ps >> a.flow >> a.bytes;)
    {
        arrivals.push_back(a);
    }
    return arrivals;
}

// A discipline with attributes given as Name=value, with commas between.
Ptr<QueueDisc>
MakeQueue(const std::string& type, const std::string& settings, uint32_t quantum)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    std::istringstream stream(settings);
    for (std::string setting; std::getline(stream, setting, ',');)
    {
        const auto at = setting.find('=');
        factory.Set(setting.substr(0, at), StringValue(setting.substr(at + 1)));
    }
    Ptr<QueueDisc> queue = factory.Create<QueueDisc>();
    if (auto fair = DynamicCast<FqCoDelQueueDisc>(queue))
    {
        fair->SetQuantum(quantum);
    }
    queue->Initialize();
    return queue;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string arrivals;
    std::string disc = "ns3::CoDelQueueDisc";
    std::string settings;
    double rate = 1e7;
    double stop = 1;
    uint32_t quantum = 1514;
    uint32_t seed = 1;
    CommandLine command;
    command.AddValue("arrivals", "file of arrivals", arrivals);
    command.AddValue("disc", "ns-3's class", disc);
    command.AddValue("set", "attributes of the discipline", settings);
    command.AddValue("rate", "of the link, bit/s", rate);
    command.AddValue("stop", "end, s", stop);
    command.AddValue("quantum", "of FQ-CoDel, bytes", quantum);
    command.AddValue("seed", "of the random streams", seed);
    command.Parse(argc, argv);
    Time::SetResolution(Time::PS);
    RngSeedManager::SetSeed(seed);
    std::ios::sync_with_stdio(false);
    Ptr<QueueDisc> queue = MakeQueue(disc, settings, quantum);
    Link link(queue, rate, ReadArrivals(arrivals));
    Simulator::Stop(Seconds(stop));
    Simulator::Run();
    std::cout << "RESULT packets_dropped " << queue->GetStats().nTotalDroppedPackets << std::endl;
    Simulator::Destroy();
    return 0;
}
