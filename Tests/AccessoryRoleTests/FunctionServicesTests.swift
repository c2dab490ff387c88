import AccessoryRole
import HAPModel
import Testing

@Suite("Creating services from functions")
struct FunctionServicesTests {
    private static let filter = AccessoryFunction(
        .filterMaintenance, id: "filter", [.filterChangeIndication: .integer(0)])

    private func purifier(isPrimary: Bool = false, linked: [String] = ["filter"]) -> AccessoryFunction {
        AccessoryFunction(
            .airPurifier, isPrimary: isPrimary, linked: linked,
            [.active: .integer(0), .currentAirPurifierState: .integer(0), .targetAirPurifierState: .integer(0)])
    }

    @Test("links functions regardless of their order, and keeps all iids")
    func links() throws {
        var (ids, later) = (InstanceIDs(), InstanceIDs())
        let services = try [purifier(), Self.filter].services(&ids)
        #expect(services.map(\.linked) == [[services[1].iid], []])
        #expect(services.map(\.isPrimary) == [true, false])
        let reverse = try [Self.filter, purifier(isPrimary: true)].services(&later)
        #expect(reverse.map(\.linked) == [[], [reverse[0].iid]])
        #expect(reverse.map(\.isPrimary) == [false, true])
        #expect(try [purifier(linked: []), Self.filter].services(&ids).map(\.iid) == services.map(\.iid))
    }

    @Test("marks the service of a hidden function as hidden")
    func hidden() throws {
        var ids = InstanceIDs()
        let services = try [
            purifier(linked: []), AccessoryFunction(.switch, isHidden: true, [.on: .bool(false)]),
        ].services(&ids)
        #expect(services.map(\.isHidden) == [false, true])
    }

    @Test("rejects a link that matches no function or several functions", arguments: [["fliter"], ["filter", "two"]])
    func invalidLinks(linked: [String]) {
        var ids = InstanceIDs()
        let twins = [AccessoryFunction(.switch, id: "two", []), AccessoryFunction(.outlet, id: "two", [])]
        #expect(throws: ComplianceError.self) {
            try ([purifier(linked: linked), Self.filter] + twins).services(&ids)
        }
    }
}
