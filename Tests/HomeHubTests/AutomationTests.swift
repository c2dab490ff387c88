import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@testable import HomeHub

@Suite("Automations in the hub", .timeout)
struct AutomationTests {
    private let house: AutomationHouse

    init() throws { house = try AutomationHouse() }

    private var onMotion: TriggerEvent { .characteristic(house.motion, value: .bool(true)) }
    private var lampOn: TriggerStep { .set(house.on, .bool(true)) }

    // MARK: History

    @Test("answers with the latest records of a home's history") func history() async throws {
        try await house.run { hub, app in
            let id = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            let other = try await house.add(
                TriggerDefinition(events: [onMotion], steps: [lampOn]), named: "Other", by: app)
            let records = (0..<600).map { number in
                TriggerRecord(
                    trigger: number < 599 ? id : other, time: TestWallClock.noon + .seconds(number), cause: .user,
                    result: .wrongWeekday)
            }
            try await hub.store.save([], records)
            #expect(try await house.records(app) == Array(records.suffix(TriggerLimits.recordsInAnswer)))
            let history = try [TriggerRecord](json: try await app.call(.triggerRecords(house.home, id)))
            #expect(history == records[549..<599].reversed())
            let statuses = try [TriggerStatus](json: try await app.call(.triggerStatuses(house.home)))
            #expect(statuses.map(\.last) == [records[598], records[599]])
            await expect(.notFound) { try await app.call(.triggerRecords(house.home, testTrigger)) }
        }
    }

    @Test("updates the last entries of automations without reading the history again") func latest() async throws {
        func last(_ app: TestApp) async throws -> TriggerRecord? {
            try [TriggerStatus](json: try await app.call(.triggerStatuses(house.home))).first?.last
        }
        try await house.run { hub, app in
            let trigger = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            #expect(try await last(app) == nil)
            try await hub.store.save(
                [], [TriggerRecord(trigger: trigger, time: TestWallClock.noon, cause: .user, result: .wrongWeekday)])
            #expect(try await last(app) == nil)
            let ran = try TriggerRecord(json: try await app.call(.runTrigger(trigger, .always)))
            #expect(ran.outcomes.count == 1 && ran.outcomes.allSatisfy { $0.time != nil })
            #expect(try await last(app) == ran)
            let again = try TriggerRecord(json: try await app.call(.runTrigger(trigger, .always)))
            #expect(try await last(app) == again && again.id != ran.id)
        }
    }

    @Test("adds new entries to the histories that apps have asked about without reading these again")
    func followed() async throws {
        try await house.run { hub, app in
            let definition = TriggerDefinition(events: [onMotion], steps: [lampOn])
            let trigger = try await house.add(definition, by: app)
            func history() async throws -> [TriggerRecord] {
                try [TriggerRecord](json: try await app.call(.triggerRecords(house.home, trigger)))
            }
            func record(_ second: Int) -> TriggerRecord {
                TriggerRecord(
                    trigger: trigger, time: TestWallClock.noon + .seconds(second - 100), cause: .user,
                    result: .wrongWeekday)
            }
            let former = (0..<TriggerLimits.records).map(record)
            try await hub.store.save([], former)
            #expect(try await history() == former.reversed())
            try await hub.store.save([], [record(99)])
            #expect(try await history() == former.reversed())
            let ran = try TriggerRecord(json: try await app.call(.runTrigger(trigger, .always)))
            #expect(try await history() == [ran] + former.dropFirst().reversed())
        }
    }

    // MARK: Runs

    @Test("stores the state before the actions, and reports the outcome of each action")
    func run() async throws {
        try await house.run { hub, app in
            try await app.call(.receiveMessages)
            let trigger = try await house.add(
                TriggerDefinition(
                    events: [onMotion], steps: [lampOn, .set(house.brightness, .integer(40)), .notify("Hi")]),
                by: app)
            hub.store.stall()
            house.report(11, "true")
            try await eventually("the state waits for the disk") { hub.store.waitingCount > 0 }
            #expect(house.writes == [])
            hub.store.resume()
            try await eventually("the outcomes") { app.records.last?.outcomes.count { $0.time != nil } == 3 }
            let record = try #require(app.records.last)
            #expect(record.trigger == trigger && record.result == .ran && record.cause == .event(onMotion))
            #expect(record.outcomes.map(\.error) == [nil, nil, nil])
            #expect(house.writes == ["8=true", "9=40"])
            #expect(app.messages == ["Hi"] && hub.messages.texts == ["Home, Automation: Hi"])
            #expect(try await house.records(app) == [record])
        }
    }

    @Test("runs scenes, and marks them as executed")
    func scenes() async throws {
        try await house.run { hub, app in
            let scene = try await app.addScene(to: house.home)
            try await app.write(
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.on, targetValue: .bool(true))]))
            try await house.add(TriggerDefinition(events: [onMotion], actionSets: [scene]), by: app)
            house.report(11, "true")
            try await eventually("the scene") { app.records.last?.outcomes.first?.time != nil }
            #expect(app.records.last?.outcomes.map(\.action) == [.actionSet(scene, name: "Evening")])
            #expect(house.writes == ["8=true"])
            #expect(try await hub.home(app).actionSet(scene)?.lastExecutionTime != nil)
        }
    }

    @Test("performs no action if the state can't be stored, and reports the reason")
    func storeFailure() async throws {
        try await house.run { hub, app in
            try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            hub.store.fillUp()
            house.report(11, "true")
            try await eventually("the record") { app.records.last?.outcomes.isEmpty == false }
            let outcome = try #require(app.records.last?.outcomes.first)
            #expect(outcome.error?.code == .storageFailed && outcome.time != nil)
            hub.store.breakDown(false)
            try await house.report(11, "false", as: .bool(false), house.motion, hub, app)
            house.report(11, "true")
            try await eventually("the next run") { house.writes == ["8=true"] }
        }
    }

    @Test("answers each run and keeps each outcome while the disk is slow, up to a limit") func slowStore() async throws
    {
        try await house.run { hub, app in
            let id = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            hub.store.stall()
            let first = await app.begin(.runTrigger(id, .always))
            try await eventually("the first run waits for the disk") { hub.store.waitingCount > 0 }
            var calls: [Call] = []
            for _ in 0..<TriggerLimits.runsInMinute - 1 { calls.append(await app.begin(.runTrigger(id, .always))) }
            await expect(.maximumObjectLimitReached) { try await app.call(.runTrigger(id, .always)) }
            hub.store.resume()
            let last = calls.removeLast()
            #expect(try TriggerRecord(json: try await app.result(first)).outcomes.first?.time != nil)
            for call in calls {
                let record = try TriggerRecord(json: try await app.result(call))
                #expect(record.outcomes.map(\.error?.code) == [.operationCancelled] && record.outcomes[0].time != nil)
            }
            #expect(try TriggerRecord(json: try await app.result(last)).outcomes.map(\.error) == [nil])
            let records = try await house.records(app)
            #expect(records.count == TriggerLimits.runsInMinute)
            #expect(records.allSatisfy { $0.outcomes.count == 1 && $0.outcomes[0].time != nil })
        }
    }

    @Test("doesn't repeat an action after a crash between storing the state and performing the action")
    func crash() async throws {
        try await house.run { hub, app in
            try await house.add(
                TriggerDefinition(events: [.calendar(CalendarTime(.noon(plus: 1)))], steps: [lampOn]), by: app)
            // The state is stored when the hub has ended.
            hub.store.stall()
            await house.advance(.seconds(60), hub)
            try await eventually("the state waits for the disk") { hub.store.waitingCount > 0 }
        }
        let writes = house.writes
        try await house.run { _, app in
            try await house.add(TriggerDefinition(events: [onMotion], steps: [.notify("x")]), named: "Other", by: app)
            house.report(11, "true")
            try await eventually("another run") { app.records.contains { $0.cause == .event(onMotion) } }
            #expect(house.writes == writes && writes.count <= 1)
        }
    }

    @Test("runs an automation for an app, with or without checking its condition, or only evaluates it")
    func modes() async throws {
        try await house.run { _, app in
            let condition = TriggerCondition.comparison(house.motion, .equal, .bool(true))
            let id = try await house.add(
                TriggerDefinition(events: [onMotion], condition: condition, steps: [lampOn]), by: app)
            func run(_ mode: TriggerRunMode) async throws -> TriggerRecord {
                try TriggerRecord(json: try await app.call(.runTrigger(id, mode)))
            }
            #expect(try await run(.check).result == .conditionFalse(condition))
            #expect(try await run(.conditional).result == .conditionFalse(condition))
            #expect(house.writes == [])
            let record = try await run(.always)
            #expect(record.result == .ran && record.cause == .user && record.outcomes.first?.time != nil)
            #expect(house.writes == ["8=true"])
            #expect(try await house.records(app).map(\.result) == [.conditionFalse(condition), .ran])
            await expect(.notFound) { try await app.call(.runTrigger(testTrigger, .always)) }
        }
    }

    @Test("continues a run automatically at the end of a wait")
    func waiting() async throws {
        house.clock.run()
        try await house.run { _, app in
            try await house.add(
                TriggerDefinition(
                    events: [onMotion], steps: [lampOn, .wait(.seconds(1)), .set(house.on, .bool(false))]),
                by: app)
            house.report(11, "true")
            try await eventually("both writes") { house.writes == ["8=true", "8=false"] }
        }
    }

    @Test("disables an automation after its only run")
    func once() async throws {
        try await house.run { hub, app in
            let other = try await hub.app()
            let id = try await house.add(
                TriggerDefinition(events: [onMotion], executeOnce: true, steps: [lampOn]), by: app)
            house.report(11, "true")
            try await eventually("the change of the home") {
                try await hub.home(app).trigger(id)?.isEnabled == false && !other.events.isEmpty
            }
            try await eventually("the write") { house.writes == ["8=true"] }
        }
    }

    @Test("disables a run-once automation before its actions, even if the hub ends right afterwards")
    func onceWithCrash() async throws {
        try await house.run { hub, app in
            let definition = TriggerDefinition(events: [onMotion], executeOnce: true, steps: [lampOn])
            let id = try await house.add(definition, by: app)
            let commits = hub.store.commits
            hub.store.stall()
            house.report(11, "true")
            try await eventually("the state waits for the disk") { hub.store.waitingCount > 0 }
            #expect(hub.store.stored.graph.home(house.home)?.trigger(id)?.isEnabled == true)
            hub.store.writeWaiting()
            try await eventually("the write") { house.writes == ["8=true"] }
            // The change of the home waits for the disk.
            #expect(hub.store.commits == commits)
            #expect(hub.store.stored.graph.home(house.home)?.trigger(id)?.isEnabled == false)
        }
    }

    @Test("doesn't disable a run-once automation whose run can't be stored") func onceWithoutDisk() async throws {
        try await house.run { hub, app in
            let definition = TriggerDefinition(events: [onMotion], executeOnce: true, steps: [lampOn])
            let id = try await house.add(definition, by: app)
            hub.store.fillUp()
            house.report(11, "true")
            try await eventually("the record") { app.records.last?.outcomes.first?.error?.code == .storageFailed }
            hub.store.breakDown(false)
            try await house.report(11, "false", as: .bool(false), house.motion, hub, app)
            #expect(try await hub.home(app).trigger(id)?.isEnabled == true)
            house.report(11, "true")
            try await eventually("the run") { house.writes == ["8=true"] }
            try await eventually("the end") { try await hub.home(app).trigger(id)?.isEnabled == false }
        }
    }

    // MARK: Scenario 4

    @Test(
        "runs late or records a missed run after the hub was down",
        arguments: [(3, true), (10, false)])
    func missed(_ minutes: Int, _ runs: Bool) async throws {
        try await house.run { _, app in
            let event = TriggerEvent.calendar(CalendarTime(.noon(plus: 1)))
            try await house.add(TriggerDefinition(events: [event], steps: [lampOn]), by: app)
        }
        house.clock.advance(.seconds(60 + minutes * 60))
        try await house.run { hub, app in
            await hub.hub.checkClock()
            try await eventually("the record") { try await house.records(app).count == 1 }
            let record = try #require(try await house.records(app).first)
            if runs {
                #expect(record.result == .ran)
                try await eventually("the write") { house.writes == ["8=true"] }
            } else {
                #expect(record.result == .missed(first: TestWallClock.noon + .seconds(60), count: 1))
                #expect(house.writes == [])
            }
        }
    }

    @Test("records actions as failed if their wait ended long before the hub started")
    func lateWait() async throws {
        try await house.run { hub, app in
            let definition = TriggerDefinition(
                events: [onMotion],
                steps: [lampOn, .wait(.seconds(600)), .set(house.on, .bool(false)), .notify("Off")])
            let id = try await house.add(definition, by: app)
            try await app.call(.runTrigger(id, .always))
            #expect(house.writes == ["8=true"])
        }
        house.clock.advance(.seconds(3600))
        try await house.run { hub, app in
            await hub.hub.checkClock()
            try await eventually("the outcomes") { try await house.records(app).first?.outcomes.count == 3 }
            let outcomes = try #require(try await house.records(app).first).outcomes
            #expect(outcomes.map(\.error?.code) == [nil, .operationCancelled, .operationCancelled])
            #expect(outcomes.allSatisfy { $0.time != nil })
            #expect(house.writes == ["8=true"] && hub.messages.texts == [])
        }
    }

    // MARK: Scenario 5

    @Test("keeps durations when the clock is set, and doesn't repeat a time of day")
    func clock() async throws {
        try await house.run { hub, app in
            let event = TriggerEvent.calendar(CalendarTime(.noon(plus: 1)))
            try await house.add(TriggerDefinition(events: [event], steps: [lampOn]), named: "Time", by: app)
            try await house.add(
                TriggerDefinition(
                    events: [onMotion],
                    steps: [
                        .set(house.brightness, .integer(1)), .wait(.seconds(300)), .set(house.brightness, .integer(2)),
                    ]),
                named: "Wait", by: app)
            await house.advance(.seconds(60), hub)
            house.report(11, "true")
            try await eventually("both runs") { house.writes.sorted() == ["8=true", "9=1"] }
            house.clock.set(by: .seconds(10_800))
            await house.advance(.seconds(200), hub)
            house.clock.set(by: .seconds(-10_800))
            await house.advance(.seconds(99), hub)
            try await hub.drain(app)
            #expect(house.writes.count == 2)
            await house.advance(.seconds(2), hub)
            try await eventually("the end of the wait") { house.writes.last == "9=2" }
            #expect(house.writes.count == 3)
        }
    }

    @Test("reschedules automations when the system time zone changes")
    func zone() async throws {
        try await house.run { hub, app in
            let id = try await house.add(
                TriggerDefinition(events: [.calendar(CalendarTime(.noon(plus: 60)))], steps: [lampOn]), by: app)
            func next() async throws -> Timestamp? {
                try [TriggerStatus](json: try await app.call(.triggerStatuses(house.home))).first { $0.trigger == id }?
                    .next
            }
            #expect(try await next() == TestWallClock.noon + .seconds(3600))
            house.clock.setRules(of: nil, .oneHourEast)
            await hub.hub.updateTimeZones()
            #expect(try await next() == TestWallClock.noon + .seconds(86_400))
        }
    }

    // MARK: Scenario 6

    @Test("doesn't treat values after a restart or a reconnect as changes")
    func baselines() async throws {
        let range = TriggerEvent.range(house.temperature, ValueRange(minimum: 24))
        house.set(10, "25")
        try await house.run { _, app in
            try await house.add(TriggerDefinition(events: [range], steps: [lampOn]), by: app)
        }
        try await house.run { hub, app in
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            house.plugIn(hub)
            try await eventually("the return") { try await house.isReachable(hub, app) }
            try await house.report(10, "25.5", as: .float(25.5), house.temperature, hub, app)
            #expect(try await house.records(app) == [] && house.writes == [])
            try await house.report(10, "23", as: .float(23), house.temperature, hub, app)
            house.report(10, "25")
            try await eventually("the run") { house.writes == ["8=true"] }
        }
    }

    @Test("runs at each press of a button, but not when the button is read")
    func button() async throws {
        try await house.run { hub, app in
            try await house.add(
                TriggerDefinition(events: [.button(house.button, .single)], steps: [.notify("Press")]), by: app)
            try await eventually("a subscription") { house.isSubscribed(12) }
            _ = try await app.readValues(house.button)
            for count in 1...2 {
                house.report(12, "0")
                try await eventually("a message") { hub.messages.texts.count == count }
            }
            house.report(12, "1")
            try await hub.drain(app)
            #expect(app.records.count == 2)
        }
    }

    // MARK: Scenario 7

    @Test("restores the previous value after the last motion, unless a person has changed it")
    func motionLight() async throws {
        try await house.run { hub, app in
            try await house.add(
                TriggerDefinition(events: [onMotion], endEvents: [.duration(.seconds(300))], steps: [lampOn]), by: app)
            func motion() async throws {
                try await house.report(11, "false", as: .bool(false), house.motion, hub, app)
                house.report(11, "true")
            }
            try await motion()
            try await eventually("the light") { house.writes == ["8=true"] }
            await house.advance(.seconds(240), hub)
            try await motion()
            try await eventually("the second run") { app.records.count == 2 }
            await house.advance(.seconds(299), hub)
            #expect(house.writes.last == "8=true")
            await house.advance(.seconds(1), hub)
            try await eventually("the end") { house.writes.last == "8=false" }

            try await motion()
            try await eventually("the light again") { house.writes.last == "8=true" }
            // Earlier, other values count as steps of a fade.
            await house.advance(.seconds(11), hub)
            try await house.report(8, "false", as: .bool(false), house.on, hub, app)
            try await house.report(8, "true", as: .bool(true), house.on, hub, app)
            let count = house.writes.count
            await house.advance(.seconds(300), hub)
            try await eventually("the end of the run") { app.records.last?.result == .ended }
            try await hub.drain(app)
            #expect(house.writes.count == count)
        }
    }

    // MARK: Scenarios 8 and 9

    @Test("stops two automations that toggle each other")
    func loop() async throws {
        try await house.run { hub, app in
            let events = [false, true].map { TriggerEvent.characteristic(house.on, value: .bool($0)) }
            try await house.add(
                TriggerDefinition(events: [events[0]], steps: [lampOn]), named: "On", by: app)
            try await house.add(
                TriggerDefinition(events: [events[1]], steps: [.set(house.on, .bool(false))]), named: "Off", by: app)
            _ = try await app.writeValues(ValueWrite(characteristic: house.on, value: .bool(true)))
            try await eventually("the end of the chain") { app.records.contains { $0.result == .chainTooDeep } }
            try await hub.drain(app)
            #expect(house.writes.count == 1 + TriggerLimits.chainDepth)
        }
    }

    @Test("stays responsive while 200 automations follow a busy sensor")
    func flood() async throws {
        try await house.run { hub, app in
            for index in 0..<HomeLimits.triggersInHome {
                try await house.add(
                    TriggerDefinition(
                        events: [.characteristic(house.temperature, value: nil)],
                        condition: index % 2 == 0 ? nil : .comparison(house.on, .equal, .bool(true)),
                        steps: [.set(house.brightness, .integer(Int64(index % 100)))]),
                    named: "Automation \(index)", by: app)
            }
            for value in 0..<30 {
                house.report(10, "\(value)")
                try await eventually("value \(value)") {
                    await hub.hub.turn { $0.graph.characteristic(house.temperature)?.value } == .float(Double(value))
                }
                let start = ContinuousClock.now
                try await app.call(.permissions)
                // A debug build on a busy machine is slow.
                #expect(ContinuousClock.now - start < .seconds(10))
            }
            try await eventually("the end of all writes") {
                let records = try await hub.store.triggerRecords(of: house.home, limit: .max)
                return records.count { if case .paused = $0.result { true } else { false } } == 100
                    && records.allSatisfy { $0.outcomes.allSatisfy { $0.time != nil } }
            }
            let records = try await hub.store.triggerRecords(of: house.home, limit: .max)
            #expect(records.count { $0.result == .ran } == 100 * TriggerLimits.runsInMinute)
            #expect(records.count <= 100 * (2 * TriggerLimits.runsInMinute + 1))
        }
    }

    // MARK: Scenario 10

    @Test("retries actions at an unreachable accessory until it returns")
    func retry() async throws {
        try await house.run { hub, app in
            let id = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            let record = try TriggerRecord(json: try await app.call(.runTrigger(id, .always)))
            #expect(record.outcomes.map(\.error?.code) == [.accessoryNotReachable] && record.outcomes[0].time == nil)
            house.plugIn(hub)
            try await eventually("the write") { house.writes == ["8=true"] }
            try await eventually("the outcome") {
                let outcome = app.records.last?.outcomes.first
                return outcome?.error == nil && outcome?.time != nil
            }
        }
    }

    @Test("gives up failing actions after the timeout, and reports their errors")
    func giveUp() async throws {
        try await house.run {
            $0.actionTimeout = .seconds(1)
            $0.actionRetryInterval = .milliseconds(20)
        } _: { hub, app in
            let id = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            try await app.call(.runTrigger(id, .always))
            try await eventually("the report") { app.records.last?.outcomes.first?.time != nil }
            #expect(app.records.last?.outcomes.map(\.error?.code) == [.accessoryNotReachable])
            house.plugIn(hub)
            try await eventually("the return") { try await house.isReachable(hub, app) }
            #expect(house.writes == [])
        }
    }

    @Test("doesn't retry a write after a later write by another automation or an app")
    func superseded() async throws {
        try await house.run { hub, app in
            let on = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), named: "On", by: app)
            let off = try await house.add(
                TriggerDefinition(events: [onMotion], steps: [.set(house.on, .bool(false))]), named: "Off", by: app)
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            try await app.call(.runTrigger(on, .always))
            try await app.call(.runTrigger(off, .always))
            try await eventually("the first automation gives up") {
                app.records.first?.outcomes.first?.error?.code == .operationCancelled
            }
            house.plugIn(hub)
            try await eventually("the last write") { house.writes == ["8=false"] }
        }
    }

    @Test("ends the retries of an automation that is disabled, until it runs again")
    func disabling() async throws {
        try await house.run { hub, app in
            let id = try await house.add(TriggerDefinition(events: [onMotion], steps: [lampOn]), by: app)
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            try await app.call(.runTrigger(id, .always))
            try await app.write(.enableTrigger(id, false))
            try await eventually("the end") { app.records.last?.outcomes.first?.time != nil }
            #expect(app.records.last?.outcomes.first?.error?.code == .operationCancelled)
            house.plugIn(hub)
            try await eventually("the return") { try await house.isReachable(hub, app) }
            #expect(house.writes == [])
            try await app.call(.runTrigger(id, .always))
            #expect(house.writes == ["8=true"])
        }
    }

    // MARK: Reachability and presence

    @Test("runs after an accessory was unreachable for some time, even across a restart")
    func unreachable() async throws {
        let event = TriggerEvent.unreachable(house.accessory, duration: .seconds(600))
        try await house.run { hub, app in
            try await house.add(TriggerDefinition(events: [event], steps: [.notify("Away")]), by: app)
            house.unplug(hub)
            try await eventually("the outage") { try await !house.isReachable(hub, app) }
            await house.advance(.seconds(300), hub)
            #expect(app.records == [])
        }
        try await house.run(isReachable: false) { hub, app in
            try await eventually("the first attempt") { house.attempts(hub) > 0 }
            await house.advance(.seconds(300), hub)
            try await eventually("the message") { hub.messages.texts == ["Home, Automation: Away"] }
        }
    }

    @Test("runs when people arrive or leave")
    func presence() async throws {
        try await house.run { hub, app in
            guard case .person(let anna) = try await app.write(.addPerson(house.home, name: "Anna")).result else {
                throw HouseUnderTest.Missing(what: "a person")
            }
            try await house.add(
                TriggerDefinition(events: [.presence(.firstEntry, people: [])], steps: [lampOn]), named: "In", by: app)
            try await house.add(
                TriggerDefinition(
                    events: [.presence(.lastExit, people: [])], condition: .presence(.noOneHome),
                    steps: [.set(house.on, .bool(false))]), named: "Out", by: app)
            try await app.write(.setPresence(anna, isHome: true))
            try await eventually("the arrival") { house.writes == ["8=true"] }
            try await app.write(.setPresence(anna, isHome: false))
            try await eventually("the departure") { house.writes == ["8=true", "8=false"] }
        }
    }

    @Test("shows today's sun events at the home's location")
    func daylight() async throws {
        try await house.run { _, app in
            await expect(.locationForHomeDisabled) { try await app.call(.daylight(house.home)) }
            let location = try HomeLocation(latitude: 52.52, longitude: 13.40)
            try await app.write(.setLocation(house.home, location))
            let daylight = try Daylight(json: try await app.call(.daylight(house.home)))
            let (rise, set) = (try #require(daylight.sunrise), try #require(daylight.sunset))
            #expect(rise < TestWallClock.noon && set > TestWallClock.noon)
            // The location has no time zone, so the system's applies.
            #expect(daylight.timeZone == "Etc/UTC")
        }
    }
}

/// An ID that no automation has.
private let testTrigger: Trigger.ID = {
    var generator = SeededNumbers(seed: 99)
    return Trigger.ID(using: &generator)
}()

extension TimeOfDay {
    /// Returns the time of day some minutes after noon.
    fileprivate static func noon(plus minutes: Int) -> TimeOfDay {
        guard let time = TimeOfDay(hour: 12 + minutes / 60, minute: minutes % 60) else {
            preconditionFailure("this is a time")
        }
        return time
    }
}
