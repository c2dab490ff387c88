internal import BoundedJSON
internal import HAPModel
internal import HAPProtocol

extension AccessoryServer {
    // MARK: GET (HAP 8.4)

    /// `GET /characteristics`: returns values from the registry, after reading from the accessories' handlers.
    func readCharacteristics(_ query: String?, _ session: AccessorySession) {
        guard let request = ReadRequest(query: query) else {
            answer(session, HTTPResponse(400))
            return
        }
        guard registry.hasHandlers else { return answerRead(request, [:], session) }
        let id = session.id
        run(session) { server in
            let failures = await server.readDevices(request.ids)
            if let session = server.sessions[id] { server.answerRead(request, failures, session) }
        }
    }

    private func answerRead(
        _ request: ReadRequest, _ failures: [CharacteristicID: HAPStatus], _ session: AccessorySession
    ) {
        let readings = request.ids.map { id in
            var answer = readAnswer(id)
            if answer.status == .success, let failure = failures[id] { answer.status = failure }
            return answer
        }
        let failed = readings.contains { $0.status != .success }
        var body = CharacteristicsBody(reserving: readings.count)
        for (id, reading) in zip(request.ids, readings) {
            let ok = reading.status == .success
            let isMomentary = reading.found?.type.isMomentary ?? false
            let value = ok && !isMomentary ? reading.value : nil
            body.append(id, status: failed ? reading.status : nil, value: value) { json in
                guard ok, let found = reading.found else { return }
                if value == nil { json.raw(",\"value\":null") }
                if request.type {
                    json.raw(",\"type\":")
                    json.string(found.type.description)
                }
                if request.permissions { found.metadata.appendPermissions(to: &json) }
                if request.metadata { found.metadata.appendMetadata(to: &json) }
                if request.events {
                    json.raw(",\"ev\":")
                    json.bool(session.subscriptions.contains(id))
                }
            }
        }
        answer(session, HTTPResponse(failed ? 207 : 200, .hapJSON, body: body.finished()))
    }

    private struct ReadAnswer {
        var status: HAPStatus
        var value: CharacteristicValue?
        var found: AccessoryRegistry.Reading?
    }

    private func readAnswer(_ id: CharacteristicID) -> ReadAnswer {
        guard let reading = registry.reading(id) else { return ReadAnswer(status: .doesNotExist) }
        guard reading.metadata.permissions.contains(.pairedRead) else { return ReadAnswer(status: .writeOnly) }
        return ReadAnswer(status: reading.status, value: reading.value, found: reading)
    }

    // MARK: PUT (HAP 8.5)

    /// `PUT /characteristics`: changes subscriptions immediately and writes values through the registry.
    func writeCharacteristics(_ body: [UInt8], _ session: AccessorySession) {
        guard let request = WriteRequest(parsing: body) else {
            answer(session, HTTPResponse(400))
            return
        }
        var isPrepared = false
        if let id = request.preparedID {
            isPrepared = session.preparedWrite.redeem(id, now: scheduler.now)
            if !isPrepared {
                // A timed write that wasn't announced has no effect, not even on subscriptions.
                let statuses = [HAPStatus](repeating: .invalidValue, count: request.entries.count)
                answerWrite(request, statuses, session)
                return
            }
        }
        let plan = WritePlan(request, isPrepared: isPrepared) { registry.reading($0) }
        for change in plan.subscriptions {
            if change.subscribes {
                subscribe(session, to: change.id)
            } else {
                unsubscribe(session, from: change.id)
            }
        }
        guard !plan.writes.isEmpty else {
            answerWrite(request, plan.statuses, session)
            return
        }
        let id = session.id
        var known = plan.statuses
        let orders = registry.orders(of: plan.writes, &known)
        // The task starts within this call. Don't use the session's task, which is canceled when the connection ends:
        // the device must get the values even if the peer has disconnected.
        Task.immediate { [known] in
            var statuses = known
            if orders.count == 1 {
                orders[0].set(await write(orders[0], by: id), in: &statuses)
            } else {
                for (order, outcome) in zip(orders, await write(orders, by: id)) { order.set(outcome, in: &statuses) }
            }
            if let session = sessions[id] { answerWrite(request, statuses, session) }
        }
    }

    private func answerWrite(_ request: WriteRequest, _ statuses: [HAPStatus], _ session: AccessorySession) {
        guard statuses.contains(where: { $0 != .success }) || request.entries.contains(where: \.wantsResponse) else {
            answer(session, HTTPResponse(204))
            return
        }
        let responses = zip(request.entries, statuses).map { entry, status -> CharacteristicValue? in
            let response = writeResponses.removeValue(forKey: entry.id)
            guard entry.wantsResponse, status == .success, let reading = registry.reading(entry.id),
                reading.metadata.permissions.contains(.writeResponse)
            else { return nil }
            return response ?? reading.value
        }
        guard responses.contains(where: { $0 != nil }) || statuses.contains(where: { $0 != .success }) else {
            answer(session, HTTPResponse(204))
            return
        }
        var body = CharacteristicsBody(reserving: statuses.count)
        for (index, entry) in request.entries.enumerated() {
            body.append(entry.id, status: statuses[index], value: responses[index])
        }
        answer(session, HTTPResponse(207, .hapJSON, body: body.finished()))
    }

    // MARK: Prepare (HAP 8.6)

    /// `PUT /prepare`: announces a timed write.
    func prepare(_ body: [UInt8], _ session: AccessorySession) {
        guard let request = PrepareRequest(parsing: body) else {
            answer(session, HTTPResponse(400))
            return
        }
        session.preparedWrite.prepare(request, now: scheduler.now)
        answer(session, HTTPResponse(200, .hapJSON, body: HAPStatus.success.body))
    }
}
