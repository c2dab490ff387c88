import HAPTesting
import HomeModel
import Testing

@testable import HomeClient

@Suite("Reconciling observations") struct ObservationReconcilerTests {
    private let ids: [Characteristic.ID]

    init() {
        var random = SeededNumbers(seed: 1)
        ids = (0..<3).map { _ in Characteristic.ID(using: &random) }
    }

    @Test("desires values with notifications or iterations until both end")
    func desired() {
        var observations = ObservationReconciler()
        observations.switchOn(ids[0])
        #expect(observations.iterationBegan(ids[0]) == true)
        #expect(observations.iterationBegan(ids[1]) == true)
        for id in ids.prefix(2) { observations.answered(id, isConfirmed: true) }
        #expect(observations.iterationBegan(ids[1]) == false)
        #expect(observations.switchOff(Array(ids.prefix(2))) == [])
        observations.iterationEnded(ids[0])
        observations.iterationEnded(ids[1])
        #expect(observations.idle(of: ids) == [ids[0]])
        #expect(observations.desired == [ids[1]])
        observations.iterationEnded(ids[1])
        #expect(observations.idle(of: ids) == [ids[0], ids[1]])
        observations.iterationEnded(ids[1])
        #expect(observations.switchOff(ids) == ids)
    }

    @Test("requests all desired values after a lost connection")
    func connectionLost() {
        var observations = ObservationReconciler()
        for id in ids { observations.switchOn(id) }
        for id in ids { observations.answered(id, isConfirmed: true) }
        #expect(observations.homesLoaded(HomeGraph()) == [])
        observations.connectionLost()
        #expect(observations.homesLoaded(HomeGraph()) == ids.sorted())
        observations.answered(ids[1], isConfirmed: true)
        #expect(observations.homesLoaded(HomeGraph()) == [ids[0], ids[2]].sorted())
    }

    @Test("requests the desired values of a returning accessory")
    func reachable() {
        var observations = ObservationReconciler()
        observations.switchOn(ids[0])
        observations.switchOn(ids[2])
        observations.answered(ids[0], isConfirmed: false)
        #expect(observations.missing(of: [ids[0], ids[1]]) == [ids[0]])
    }

    @Test("forgets refused and removed values")
    func forgotten() {
        var observations = ObservationReconciler()
        observations.switchOn(ids[0])
        _ = observations.iterationBegan(ids[1])
        observations.answered(ids[1], isConfirmed: true)
        for id in ids { observations.forget(id) }
        #expect(observations == ObservationReconciler())
        observations.iterationEnded(ids[1])
        #expect(observations == ObservationReconciler())
    }
}
