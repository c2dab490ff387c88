import TestTimeouts
import Testing

@testable import Discovery

@Suite("Interface selection", .timeout)
struct InterfaceSelectionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let claim: String
        var selection = InterfaceSelection.automatic
        let facts: [InterfaceFacts]
        let chosen: [String]

        var testDescription: String { claim }
    }

    static let lo = InterfaceFacts(name: "lo", index: 1, isLoopback: true)
    static let eth0 = InterfaceFacts(name: "eth0", index: 2, hasDefaultRoute: true)
    static let wlan0 = InterfaceFacts(name: "wlan0", index: 3, hasDefaultRoute: true)
    static let eth1 = InterfaceFacts(name: "eth1", index: 4)
    static let docker0 = InterfaceFacts(name: "docker0", index: 5)
    static let bridge = InterfaceFacts(name: "br-1f2e", index: 6)
    static let veth = InterfaceFacts(name: "veth12ab", index: 7)
    static let wg0 = InterfaceFacts(name: "wg0", index: 8, hasDefaultRoute: true)
    static let down = InterfaceFacts(name: "eth2", index: 9, isUp: false, hasDefaultRoute: true)

    static let cases = [
        Case(claim: "prefers default routes", facts: [lo, eth0, wlan0, eth1, docker0], chosen: ["eth0", "wlan0"]),
        Case(
            claim: "ignores a tunnel's default route if a physical interface has one", facts: [lo, eth0, wg0],
            chosen: ["eth0"]),
        Case(claim: "uses a tunnel that has the only default route", facts: [lo, eth1, wg0], chosen: ["wg0"]),
        Case(
            claim: "uses active physical interfaces if there is no default route",
            facts: [lo, eth1, docker0, bridge, veth], chosen: ["eth1"]),
        Case(
            claim: "uses active virtual interfaces if there are no others", facts: [lo, docker0, bridge, veth],
            chosen: ["docker0", "br-1f2e", "veth12ab"]),
        Case(claim: "ignores an inactive interface with a default route", facts: [lo, eth1, down], chosen: ["eth1"]),
        Case(claim: "uses the loopback interface as the last resort", facts: [lo, down], chosen: ["lo"]),
        Case(claim: "returns nothing if there are no interfaces", facts: [], chosen: []),
        Case(
            claim: "uses named interfaces even if they are virtual or down", selection: .named(["eth2", "docker0"]),
            facts: [lo, eth0, docker0, down], chosen: ["docker0", "eth2"]),
        Case(
            claim: "doesn't replace a missing named interface", selection: .named(["eth7"]),
            facts: [lo, eth0], chosen: []),
        Case(
            claim: "represents all interfaces by Avahi's wildcard", selection: .all, facts: [lo, eth0],
            chosen: ["all interfaces"]),
    ]

    @Test("chooses the interfaces for a service", arguments: cases)
    func resolves(_ example: Case) {
        #expect(example.selection.resolve(example.facts).map(\.name) == example.chosen)
    }

    @Test("recognizes virtual interfaces by their names")
    func virtualIsToldByName() {
        #expect(!Self.eth0.isVirtual)
        for name in ["docker0", "vethab12", "br-77aa", "tun0", "wg0"] {
            #expect(InterfaceFacts(name: name, index: 1).isVirtual)
        }
        #expect(!InterfaceFacts(name: "br0", index: 1).isVirtual, "a bridge that a person has configured isn't virtual")
    }

    @Test("reads default routes from both kernel tables")
    func routes() {
        let ipv4 = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
            eth1\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
            tun0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000080\t0\t0\t0
            eth3\t00000000\t0102A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0
            *\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0
            """
        #expect(RoutingTable.defaultInterfaces(ipv4: ipv4) == ["eth0"])

        let none = String(repeating: "0", count: 32)
        let ipv6 = """
            \(none) 00 \(none) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003    wlan0
            \(none) 00 \(none) 00 \(none) ffffffff 00000001 00000000 00200200       lo
            fe800000000000000000000000000000 40 \(none) 00 \(none) 00000100 00000001 00000000 00000001     eth1
            """
        #expect(RoutingTable.defaultInterfaces(ipv6: ipv6) == ["wlan0"])
    }

    @Test("ignores a damaged routing table", arguments: ["", "\n\n", "eth0", "eth0 0 0 zz 0 0 0 0"])
    func damagedTable(_ table: String) {
        #expect(RoutingTable.defaultInterfaces(ipv4: table).isEmpty)
        #expect(RoutingTable.defaultInterfaces(ipv6: table).isEmpty)
    }

    @Test("finds the loopback interface of this computer")
    func current() throws {
        let loopback = try #require(InterfaceFacts.current().first { $0.isLoopback })
        #expect(loopback.name == "lo")
        #expect(loopback.index > 0)
    }
}
