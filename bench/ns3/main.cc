// SPDX-License-Identifier: BSD-3-Clause
/* main.cc -- the two benchmark scenarios in ns-3, for comparison, and flows of a list.
 *
 *	ns3-bench --scenario=incast	N long flows to one host through one switch; --cc=reno --k=1000000
 *					makes a drop-tail queue of it
 *	ns3-bench --scenario=fabric	a leaf-spine where every host sends to one and receives from one
 *	ns3-bench --scenario=replay	the flows of a file, as "0 9 20000B 15000ns path=3": path is the spine
 *
 * Prints one "name value" a line. ns-3 is given every advantage that leaves the packets the same:
 * routes are computed by arithmetic from the address, hosts have no queueing discipline, nothing is
 * traced but the one measured queue of the incast, and only the time inside Simulator::Run counts.
 * A packet hop is one transmission on one link, of data or of an ACK. */
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <random>
#include <sys/resource.h>
#include <vector>

using namespace ns3;

struct Settings {
	std::string scenario = "incast";
	uint32_t senders = 16;
	uint32_t leaves = 8, spines = 8, hosts_per_leaf = 16;
	double gbps = 10, delay_us = 10;
	uint32_t k_pkts = 70;		/* mark when an arriving packet finds so many */
	uint32_t min_pkts = 0, max_pkts = 0; /* max > 0: RED on the instantaneous queue instead */
	double max_p = 1;
	double codel_target_us = 0, codel_interval_us = 150; /* target > 0: ns-3's CoDel, which marks */
	uint32_t buffer_pkts = 1000, acks_per = 1, seed = 1;
	std::string recovery = "prr";	/* or immediate */
	std::string cc = "dctcp";	/* or reno, cubic */
	double start_us = 100;		/* flows start within this time */
	double from_ms = 20, to_ms = 100;
	std::string flows;		/* file of the replay */
};

/* A flow of the replay; data goes to TCP port FIRST_PORT + its number. */
enum { FIRST_PORT = 1000 };

struct Replayed {
	uint32_t from, to, spine;
	uint64_t bytes, received;
	double start_us, end_us;
};

/* A FIFO that marks arriving packets by the length they find. */
class MarkingQueue : public QueueDisc
{
public:
	static TypeId GetTypeId()
	{
		static TypeId id = TypeId("MarkingQueue").SetParent<QueueDisc>();
		return id;
	}

	void SetUp(const Settings &settings, uint32_t seed)
	{
		s = &settings;
		random.seed(seed);
	}

private:
	bool Marks(uint32_t found)
	{
		if (!s->max_pkts)
			return found >= s->k_pkts;
		if (found < s->min_pkts)
			return false;
		if (found >= s->max_pkts)
			return true;
		double p = s->max_p * (found - s->min_pkts) / (s->max_pkts - s->min_pkts);
		return std::uniform_real_distribution<double>()(random) < p;
	}

	bool DoEnqueue(Ptr<QueueDiscItem> item) override
	{
		uint32_t found = GetInternalQueue(0)->GetNPackets();

		if (found >= s->buffer_pkts) {
			DropBeforeEnqueue(item, "full");
			return false;
		}
		if (Marks(found))
			Mark(item, "length");
		return GetInternalQueue(0)->Enqueue(item);
	}

	Ptr<QueueDiscItem> DoDequeue() override
	{
		return GetInternalQueue(0)->Dequeue();
	}

	bool CheckConfig() override
	{
		auto queue = CreateObject<DropTailQueue<QueueDiscItem>>();

		queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, s->buffer_pkts + 1));
		AddInternalQueue(queue);
		return true;
	}

	void InitializeParams() override
	{
	}

	const Settings *s = nullptr;
	std::mt19937_64 random;
};

/* Host h of leaf l is 10.0.0.0 + 256 l + h + 1: where a packet goes follows from its address. */
static Ipv4Address HostAddress(uint32_t leaf, uint32_t host)
{
	return Ipv4Address((10u << 24) + 256 * leaf + host + 1);
}

static uint32_t LeafOf(Ipv4Address a)
{
	return (a.Get() >> 8) & 0xffff;
}

enum class Role { HOST, LEAF, SPINE };

/* Routes by arithmetic. A leaf's ports are its hosts, then the spines; a spine's are the leaves. */
class FabricRouting : public Ipv4RoutingProtocol
{
public:
	static TypeId GetTypeId()
	{
		static TypeId id = TypeId("FabricRouting").SetParent<Ipv4RoutingProtocol>();
		return id;
	}

	void SetUp(Ptr<Node> n, Role r, uint32_t number, const Settings &settings,
		   const std::vector<Replayed> &flows)
	{
		node = n;
		replayed = &flows;
		role = r;
		leaf = number;
		hosts = settings.hosts_per_leaf;
		spines = settings.spines;
	}

	/* One route a port, made once. */
	void AddPort(Ptr<NetDevice> device, Ipv4Address source)
	{
		auto route = Create<Ipv4Route>();

		route->SetOutputDevice(device);
		route->SetSource(source);
		route->SetGateway(Ipv4Address::GetZero());
		ports.push_back(route);
	}

	Ptr<Ipv4Route> RouteOutput(Ptr<Packet>, const Ipv4Header &h, Ptr<NetDevice>,
				   Socket::SocketErrno &error) override
	{
		error = Socket::ERROR_NOTERROR;
		ports[0]->SetDestination(h.GetDestination());
		return ports[0];
	}

	bool RouteInput(Ptr<const Packet> p, const Ipv4Header &h, Ptr<const NetDevice> device,
			UnicastForwardCallback forward, MulticastForwardCallback,
			LocalDeliverCallback deliver, ErrorCallback) override
	{
		if (role == Role::HOST)
			deliver(p, h, ipv4->GetInterfaceForDevice(device));
		else
			forward(ports[Choose(h, p)], p, h);
		return true;
	}

	Ptr<Node> GetNode() const
	{
		return node;
	}

	void NotifyInterfaceUp(uint32_t) override
	{
	}
	void NotifyInterfaceDown(uint32_t) override
	{
	}
	void NotifyAddAddress(uint32_t, Ipv4InterfaceAddress) override
	{
	}
	void NotifyRemoveAddress(uint32_t, Ipv4InterfaceAddress) override
	{
	}
	void SetIpv4(Ptr<Ipv4> i) override
	{
		ipv4 = i;
	}
	void PrintRoutingTable(Ptr<OutputStreamWrapper>, Time::Unit) const override
	{
	}

private:
	/* Data and ACKs of a flow of the replay take the spine that it names. */
	uint32_t SpineOfReplay(Ptr<const Packet> p) const
	{
		TcpHeader tcp;
		uint32_t flow;

		p->PeekHeader(tcp);
		flow = tcp.GetDestinationPort() - FIRST_PORT;
		if (flow >= replayed->size())
			flow = tcp.GetSourcePort() - FIRST_PORT;
		return replayed->at(flow).spine;
	}

	/* The port for a packet; among the spines by a hash of the pair: one path a flow. */
	uint32_t Choose(const Ipv4Header &h, Ptr<const Packet> p) const
	{
		Ipv4Address to = h.GetDestination();

		if (role == Role::SPINE)
			return LeafOf(to);
		if (LeafOf(to) == leaf)
			return (to.Get() & 0xff) - 1;
		if (!replayed->empty())
			return hosts + SpineOfReplay(p);
		uint64_t x = (uint64_t)h.GetSource().Get() << 32 | to.Get();
		x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
		return hosts + (uint32_t)((x >> 40) % spines);
	}

	Ptr<Node> node;
	Role role = Role::HOST;
	uint32_t leaf = 0, hosts = 0, spines = 0;
	const std::vector<Replayed> *replayed = nullptr;
	std::vector<Ptr<Ipv4Route>> ports;
	Ptr<Ipv4> ipv4;
};

/* Time-weighted length of one queue. */
struct QueueProbe {
	Time from, last;
	double packet_ns = 0;
	uint32_t length = 0, longest = 0;

	void Change(uint32_t, uint32_t now_pkts)
	{
		Time now = Simulator::Now();

		if (now > from) {
			packet_ns += length * (now - std::max(last, from)).ToDouble(Time::NS);
			longest = std::max(longest, now_pkts);
		}
		last = now;
		length = now_pkts;
	}
};

/* What had happened when measuring began. */
struct Baseline {
	uint64_t bytes = 0, marks = 0, packets = 0, drops = 0, timeouts = 0;
	std::vector<uint64_t> flow_bytes;
};

class Bench
{
public:
	explicit Bench(const Settings &settings) : s(settings)
	{
	}

	void Run();

private:
	Ptr<FabricRouting> AddNode(Role role, uint32_t number);
	Ptr<QueueDisc> MakeQueue() const;
	void Connect(Ptr<FabricRouting> a, Ptr<FabricRouting> b, Ipv4Address address_of_a);
	void BuildNetwork(uint32_t leaves, uint32_t hosts, uint32_t spines);
	void AddFlow(uint32_t from, uint32_t to, double start_us, uint64_t bytes = 0);
	void ReadReplay();
	void AddReplay();
	void Arrived(uint32_t flow, Ptr<const Packet> p, const Address &);
	void WatchSocket(Ptr<BulkSendApplication> sender);
	void StateChanged(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now);
	void PrintReplay() const;
	uint64_t Drops() const;
	Baseline Count() const;
	uint64_t PacketHops() const;
	void Print(double cpu_seconds) const;

	Settings s;
	std::vector<Ptr<Node>> hosts;
	std::vector<Ipv4Address> addresses;
	std::vector<Ptr<PointToPointNetDevice>> devices;
	std::vector<Ptr<PacketSink>> sinks;
	Ptr<QueueDisc> measured;	/* switch port to host 0 */
	QueueProbe probe;
	Baseline before;
	std::vector<Replayed> replayed;
	uint64_t timeouts = 0;
};

Ptr<FabricRouting> Bench::AddNode(Role role, uint32_t number)
{
	auto node = CreateObject<Node>();
	auto routing = CreateObject<FabricRouting>();

	InternetStackHelper().Install(node);
	routing->SetUp(node, role, number, s, replayed);
	node->GetObject<Ipv4>()->SetRoutingProtocol(routing);
	if (role == Role::HOST)
		hosts.push_back(node);
	return routing;
}

/* A cable. b is a switch; a is a host, when it has an address, or a switch too. A switch port queues
 * in its MarkingQueue, above a device that holds one packet; a host queues in its device. */
void Bench::Connect(Ptr<FabricRouting> a, Ptr<FabricRouting> b, Ipv4Address address_of_a)
{
	bool a_is_host = address_of_a != Ipv4Address();
	PointToPointHelper cable;
	Ptr<Node> ends[2] = { a->GetNode(), b->GetNode() };

	cable.SetDeviceAttribute("DataRate", DataRateValue(DataRate((uint64_t)(s.gbps * 1e9))));
	cable.SetChannelAttribute("Delay", TimeValue(NanoSeconds((uint64_t)(s.delay_us * 1e3))));
	NetDeviceContainer pair = cable.Install(ends[0], ends[1]);
	for (uint32_t i = 0; i < 2; i++) {
		auto device = DynamicCast<PointToPointNetDevice>(pair.Get(i));
		bool is_host = i == 0 && a_is_host;
		auto ipv4 = ends[i]->GetObject<Ipv4>();
		uint32_t interface = ipv4->AddInterface(device);
		Ipv4Address address = is_host ? address_of_a : Ipv4Address(0x0b000001u + devices.size());

		ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
		ipv4->SetUp(interface);
		device->GetQueue()->SetMaxSize(QueueSize(is_host ? "1000000p" : "1p"));
		(i ? b : a)->AddPort(device, address);
		devices.push_back(device);
		if (is_host)
			continue;
		Ptr<QueueDisc> queue = MakeQueue();
		ends[i]->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device, queue);
		if (a_is_host && !measured)
			measured = queue;
	}
}

/* Of a switch port. */
Ptr<QueueDisc> Bench::MakeQueue() const
{
	if (s.codel_target_us > 0) {
		auto codel = CreateObject<CoDelQueueDisc>();

		codel->SetAttribute("UseEcn", BooleanValue(true));
		codel->SetAttribute("Target", TimeValue(NanoSeconds((uint64_t)(s.codel_target_us * 1e3))));
		codel->SetAttribute("Interval",
				    TimeValue(NanoSeconds((uint64_t)(s.codel_interval_us * 1e3))));
		codel->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, s.buffer_pkts));
		return codel;
	}
	auto queue = CreateObject<MarkingQueue>();
	queue->SetUp(s, s.seed * 1000003 + (uint32_t)devices.size());
	return queue;
}

void Bench::BuildNetwork(uint32_t leaf_count, uint32_t host_count, uint32_t spine_count)
{
	std::vector<Ptr<FabricRouting>> spine_nodes;

	for (uint32_t i = 0; i < spine_count; i++)
		spine_nodes.push_back(AddNode(Role::SPINE, i));
	for (uint32_t l = 0; l < leaf_count; l++) {
		auto leaf = AddNode(Role::LEAF, l);

		for (uint32_t h = 0; h < host_count; h++) {
			addresses.push_back(HostAddress(l, h));
			Connect(AddNode(Role::HOST, h), leaf, addresses.back());
		}
		for (auto &spine : spine_nodes)
			Connect(leaf, spine, Ipv4Address());
	}
}

/* bytes 0: it never stops. */
void Bench::AddFlow(uint32_t from, uint32_t to, double start_us, uint64_t bytes)
{
	uint16_t port = (uint16_t)(FIRST_PORT + sinks.size());
	BulkSendHelper sender("ns3::TcpSocketFactory", InetSocketAddress(addresses[to], port));
	PacketSinkHelper receiver("ns3::TcpSocketFactory",
				  InetSocketAddress(Ipv4Address::GetAny(), port));

	sender.SetAttribute("SendSize", UintegerValue(10 * 1448));
	sender.SetAttribute("MaxBytes", UintegerValue(bytes));
	ApplicationContainer application = sender.Install(hosts[from]);
	Time start = NanoSeconds((uint64_t)std::llround(start_us * 1e3));
	application.Start(start);
	sinks.push_back(DynamicCast<PacketSink>(receiver.Install(hosts[to]).Get(0)));
	if (bytes || s.scenario == "incast")
		Simulator::Schedule(start + NanoSeconds(1), &Bench::WatchSocket, this,
				    DynamicCast<BulkSendApplication>(application.Get(0)));
}

/* --- the replay --- */

void Bench::ReadReplay()
{
	std::ifstream file(s.flows);
	std::string line;

	while (std::getline(file, line)) {
		Replayed f = { 0, 0, 0, 0, 0, 0, -1 };

		if (line.empty() || line[0] == '#')
			continue;
		NS_ABORT_MSG_IF(std::sscanf(line.c_str(), "%u %u %luB %lfns path=%u", &f.from, &f.to,
					    &f.bytes, &f.start_us, &f.spine) != 5,
				"not a flow: " << line);
		f.start_us /= 1e3;
		replayed.push_back(f);
	}
}

void Bench::AddReplay()
{
	for (uint32_t i = 0; i < replayed.size(); i++) {
		const Replayed &f = replayed[i];

		AddFlow(f.from, f.to, f.start_us, f.bytes);
		sinks.back()->TraceConnectWithoutContext(
			"Rx", MakeCallback(&Bench::Arrived, this).Bind(i));
	}
}

void Bench::Arrived(uint32_t flow, Ptr<const Packet> p, const Address &)
{
	Replayed &f = replayed[flow];

	f.received += p->GetSize();
	if (f.received == f.bytes)
		f.end_us = Simulator::Now().ToDouble(Time::US);
}

void Bench::WatchSocket(Ptr<BulkSendApplication> sender)
{
	sender->GetSocket()->TraceConnectWithoutContext(
		"CongState", MakeCallback(&Bench::StateChanged, this));
}

void Bench::StateChanged(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
{
	timeouts += now == TcpSocketState::CA_LOSS;
}

static void PrintTimes(const char *name, std::vector<double> us)
{
	std::sort(us.begin(), us.end());
	printf("%s_flows %zu\n", name, us.size());
	printf("%s_mean_us %.1f\n", name, std::accumulate(us.begin(), us.end(), 0.0) / us.size());
	printf("%s_p99_us %.1f\n", name, us.at((size_t)std::ceil(0.99 * us.size()) - 1));
}

void Bench::PrintReplay() const
{
	std::vector<double> all, small;

	for (const Replayed &f : replayed) {
		if (f.end_us < 0)
			continue;
		all.push_back(f.end_us - f.start_us);
		if (f.bytes <= 100 * 1000)
			small.push_back(f.end_us - f.start_us);
	}
	PrintTimes("all", all);
	PrintTimes("small", small);
	printf("drops %lu\ntimeouts %lu\n", (unsigned long)Drops(), (unsigned long)timeouts);
}


Baseline Bench::Count() const
{
	Baseline b;

	for (auto &sink : sinks) {
		b.bytes += sink->GetTotalRx();
		b.flow_bytes.push_back(sink->GetTotalRx());
	}
	b.drops = Drops();
	b.timeouts = timeouts;
	b.marks = measured->GetStats().nTotalMarkedPackets;
	b.packets = measured->GetStats().nTotalEnqueuedPackets;
	return b;
}

/* Whatever left a device's queue went onto the link. */
uint64_t Bench::PacketHops() const
{
	uint64_t hops = 0;

	for (auto &d : devices) {
		auto queue = d->GetQueue();

		hops += queue->GetTotalReceivedPackets() - queue->GetTotalDroppedPackets() -
			queue->GetNPackets();
	}
	return hops;
}

uint64_t Bench::Drops() const
{
	uint64_t drops = 0;

	for (auto &d : devices) {
		auto queue = d->GetNode()->GetObject<TrafficControlLayer>()->GetRootQueueDiscOnDevice(d);

		if (queue)
			drops += queue->GetStats().nTotalDroppedPackets;
	}
	return drops;
}

static double CpuSeconds()
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Jain's index of what each flow received since then. */
static double Jain(const Baseline &before, const Baseline &after)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < after.flow_bytes.size(); i++) {
		double bytes = (double)(after.flow_bytes[i] - before.flow_bytes[i]);

		sum += bytes;
		squares += bytes * bytes;
	}
	return sum * sum / (squares * (double)after.flow_bytes.size());
}

void Bench::Print(double cpu_seconds) const
{
	double seconds = (s.to_ms - s.from_ms) * 1e-3;
	Baseline after = Count();
	uint64_t hops = PacketHops();
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	printf("queue_mean_pkts %.3f\n", probe.packet_ns / (seconds * 1e9));
	printf("queue_max_pkts %u\n", probe.longest);
	printf("mark_fraction %.4f\n",
	       (double)(after.marks - before.marks) / (double)(after.packets - before.packets));
	printf("goodput_gbps %.4f\n", (double)(after.bytes - before.bytes) * 8 / seconds * 1e-9);
	printf("drops %lu\n", (unsigned long)(after.drops - before.drops));
	printf("timeouts %lu\n", (unsigned long)(after.timeouts - before.timeouts));
	printf("jain %.4f\n", Jain(before, after));
	printf("packet_hops %lu\n", (unsigned long)hops);
	printf("cpu_seconds %.3f\n", cpu_seconds);
	printf("packet_hops_per_cpu_second %.0f\n", (double)hops / cpu_seconds);
	printf("peak_rss_bytes %lu\n", (unsigned long)u.ru_maxrss * 1024);
}

void Bench::Run()
{
	std::mt19937_64 random(s.seed);
	std::uniform_real_distribution<double> start_us(0, s.start_us);

	if (s.scenario == "replay") {
		ReadReplay();
		BuildNetwork(s.leaves, s.hosts_per_leaf, s.spines);
		AddReplay();
		Simulator::Stop(Seconds(2));
		Simulator::Run();
		PrintReplay();
		Simulator::Destroy();
		return;
	}
	if (s.scenario == "incast") {
		BuildNetwork(1, s.senders + 1, 0);
		for (uint32_t i = 1; i <= s.senders; i++)
			AddFlow(i, 0, start_us(random));
	} else {
		uint32_t count = s.leaves * s.hosts_per_leaf;
		std::vector<uint32_t> to(count);

		BuildNetwork(s.leaves, s.hosts_per_leaf, s.spines);
		std::iota(to.begin(), to.end(), 0);
		std::shuffle(to.begin(), to.end(), random);
		/* Each host sends to the next one of a random circle: nobody to itself. */
		for (uint32_t i = 0; i < count; i++)
			AddFlow(to[i], to[(i + 1) % count], 0);
	}
	probe.from = NanoSeconds((uint64_t)(s.from_ms * 1e6));
	measured->TraceConnectWithoutContext("PacketsInQueue",
					     MakeCallback(&QueueProbe::Change, &probe));
	Simulator::Schedule(probe.from, [this] { before = Count(); });
	Simulator::Stop(NanoSeconds((uint64_t)(s.to_ms * 1e6)));
	double started = CpuSeconds();
	Simulator::Run();
	double cpu_seconds = CpuSeconds() - started;
	probe.Change(0, probe.length);
	Print(cpu_seconds);
	Simulator::Destroy();
}

static void SetTcp(const Settings &s)
{
	TypeId recovery = s.recovery == "prr" ? TcpPrrRecovery::GetTypeId()
					      : TcpClassicRecovery::GetTypeId();

	TypeId cc = s.cc == "reno" ? TcpLinuxReno::GetTypeId()
		    : s.cc == "cubic" ? TcpCubic::GetTypeId()
				      : TcpDctcp::GetTypeId();

	Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(cc));
	Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", TypeIdValue(recovery));
	Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
	Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
	Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(s.acks_per));
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
	Config::SetDefault("ns3::TcpDctcp::DctcpShiftG", DoubleValue(1.0 / 16));
	if (s.scenario != "replay" && s.cc == "dctcp")
		return;
	/* As Weir's defaults have it; buffers that no window fills. */
	Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(5)));
	Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(100)));
	Config::SetDefault("ns3::TcpSocket::ConnTimeout", TimeValue(MilliSeconds(5)));
	Config::SetDefault("ns3::RttEstimator::InitialEstimation", TimeValue(MicroSeconds(100)));
	Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(160 * 1000 * 1000));
	Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(160 * 1000 * 1000));
}

int main(int argc, char **argv)
{
	Settings s;
	CommandLine arguments(__FILE__);

	arguments.AddValue("scenario", "incast, fabric or replay", s.scenario);
	arguments.AddValue("flows", "file with the flows of the replay", s.flows);
	arguments.AddValue("senders", "of the incast", s.senders);
	arguments.AddValue("leaves", "of the fabric", s.leaves);
	arguments.AddValue("spines", "of the fabric", s.spines);
	arguments.AddValue("hosts-per-leaf", "of the fabric", s.hosts_per_leaf);
	arguments.AddValue("gbps", "rate of every link", s.gbps);
	arguments.AddValue("delay-us", "of every link, one way", s.delay_us);
	arguments.AddValue("k", "marking threshold in packets", s.k_pkts);
	arguments.AddValue("red-min", "RED: no marks below so many packets", s.min_pkts);
	arguments.AddValue("red-max", "RED: every packet from so many on; 0: threshold", s.max_pkts);
	arguments.AddValue("red-p", "RED: probability just below red-max", s.max_p);
	arguments.AddValue("codel-target-us", "CoDel in place of a threshold; 0: no", s.codel_target_us);
	arguments.AddValue("codel-interval-us", "of CoDel", s.codel_interval_us);
	arguments.AddValue("buffer", "packets per port", s.buffer_pkts);
	arguments.AddValue("acks-per", "data packets per ACK", s.acks_per);
	arguments.AddValue("recovery", "prr or immediate", s.recovery);
	arguments.AddValue("cc", "dctcp, reno or cubic; the last two time out as in Weir", s.cc);
	arguments.AddValue("start-us", "flows of the incast start within this time", s.start_us);
	arguments.AddValue("from-ms", "begin of measurement", s.from_ms);
	arguments.AddValue("to-ms", "end of the run", s.to_ms);
	arguments.AddValue("seed", "of start times, pairs and RED", s.seed);
	arguments.Parse(argc, argv);
	SetTcp(s);
	Bench(s).Run();
	return 0;
}
