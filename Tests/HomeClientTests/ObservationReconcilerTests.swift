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

    @Test("what is switched on or iterated over is desired, and taken back when it is neither")
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

    @Test("after a lost connection everything desired is asked for, and what is confirmed then not again")
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

    @Test("when an accessory is back what is desired of it is asked for, and nothing of others")
    func reachable() {
        var observations = ObservationReconciler()
        observations.switchOn(ids[0])
        observations.switchOn(ids[2])
        observations.answered(ids[0], isConfirmed: false)
        #expect(observations.missing(of: [ids[0], ids[1]]) == [ids[0]])
    }

    @Test("what is refused for good, or gone, is asked for no more")
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
