internal import BoundedJSON
internal import HAPCrypto
package import HAPModel
package import HAPProtocol

extension ControllerSession {
    /// The maximum number of characteristics in one read request; some accessories reject long targets (HAP 15).
    private static let readBatch = 50
    /// The maximum number of characteristics in one request that writes or subscribes.
    private static let writeBatch = 100

    /// Reads characteristics.
    ///
    /// - Parameters:
    ///   - ids: The characteristics; unknown and unreadable characteristics aren't requested, and get a status.
    ///   - database: The database, which defines the formats of the values.
    ///   - limit: The time limit for each response.
    /// - Returns: A value or a status for each characteristic. A characteristic is missing if its value doesn't match
    ///   its format. For example, a button's `null` doesn't show whether the device is reachable.
    /// - Throws: ``RequestError``.
    package func read(
        _ ids: some Sequence<CharacteristicID>, of database: AccessoryDatabase, within limit: Duration
    ) async throws(RequestError) -> [CharacteristicID: Reading] {
        var readings: [CharacteristicID: Reading] = [:]
        var asked: [CharacteristicID] = []
        for id in ids where readings[id] == nil {
            guard let metadata = database[id]?.metadata else {
                readings[id] = .failure(.doesNotExist)
                continue
            }
            guard metadata.permissions.contains(.pairedRead) else {
                readings[id] = .failure(.writeOnly)
                continue
            }
            asked.append(id)
            readings[id] = .failure(.unableToCommunicate)
        }
        for batch in asked.batches(of: Self.readBatch) {
            let request = HTTPRequest(.get, "/characteristics", query: ReadRequest(ids: Array(batch)).query)
            let response = try await self.request(request, within: limit)
            let statuses = try answers(to: response)
            guard let statuses else {
                let status = HAPStatus(wholeOf: response)
                for id in batch { readings[id] = .failure(status == .success ? .unableToCommunicate : status) }
                continue
            }
            for id in batch {
                guard let answer = statuses[id] else { continue }
                if let status = answer.status, status != .success {
                    readings[id] = .failure(status)
                } else if let value = answer.value {
                    readings[id] = database[id]?.metadata.reported(value).map { .success($0) }
                }
            }
        }
        return readings
    }

    /// Writes characteristics, with timed writes where a characteristic requires them.
    ///
    /// No other request is sent between a timed write's prepare request and the write itself.
    ///
    /// - Parameters:
    ///   - writes: The writes. Writes to unknown and read-only characteristics aren't sent, and get a status.
    ///   - database: The database, which defines the permissions.
    ///   - isTimed: Whether to use timed writes even for characteristics that don't require them.
    ///   - timing: The time limits for each response.
    /// - Returns: The outcome of each write.
    /// - Throws: ``RequestError``; the accessory may already have carried out some of the writes.
    package func write(
        _ writes: [AccessoryWrite], of database: AccessoryDatabase, isTimed: Bool = false, timing: ControllerTiming
    ) async throws(RequestError) -> [CharacteristicID: WriteOutcome] {
        var outcomes: [CharacteristicID: WriteOutcome] = [:]
        var entries: [WriteRequest.Entry] = []
        for write in writes {
            guard let permissions = database[write.id]?.metadata.permissions else {
                outcomes[write.id] = WriteOutcome(.doesNotExist)
                continue
            }
            guard permissions.contains(.pairedWrite) else {
                outcomes[write.id] = WriteOutcome(.readOnly)
                continue
            }
            entries.append(
                WriteRequest.Entry(
                    id: write.id, value: write.value.json,
                    wantsResponse: write.wantsResponse && permissions.contains(.writeResponse),
                    authorizationData: write.authorizationData))
        }
        for batch in entries.batches(of: Self.writeBatch) {
            let isTimed =
                isTimed || batch.contains { database[$0.id]?.metadata.permissions.contains(.timedWrite) == true }
            for (id, answer) in try await put(Array(batch), isTimed: isTimed, timing: timing) {
                let response = answer.value.flatMap { database[id]?.metadata.reported($0) }
                outcomes[id] = WriteOutcome(answer.status ?? .success, response: response)
            }
        }
        return outcomes
    }

    /// Subscribes to characteristics, or unsubscribes from them.
    ///
    /// - Returns: A status for each characteristic.
    /// - Throws: ``RequestError``.
    package func subscribe(
        _ ids: some Collection<CharacteristicID>, _ isWanted: Bool, timing: ControllerTiming
    ) async throws(RequestError) -> [CharacteristicID: HAPStatus] {
        var statuses: [CharacteristicID: HAPStatus] = [:]
        for batch in Array(ids).batches(of: Self.writeBatch) {
            let entries = batch.map { WriteRequest.Entry(id: $0, events: isWanted) }
            for (id, answer) in try await put(entries, isTimed: false, timing: timing) {
                statuses[id] = answer.status ?? .success
            }
        }
        return statuses
    }

    // MARK: Implementation

    private func put(
        _ entries: [WriteRequest.Entry], isTimed: Bool, timing: ControllerTiming
    ) async throws(RequestError) -> [CharacteristicID: CharacteristicAnswer] {
        var write = WriteRequest(entries: entries)
        var requests: [HTTPRequest] = []
        if isTimed {
            // Every JSON parser can represent 48-bit integers exactly.
            let number = RandomBytes.make(count: 6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            write.preparedID = max(number, 1)
            let prepare = PrepareRequest(timeToLive: timing.preparedWrite, preparedID: max(number, 1))
            requests.append(HTTPRequest(.put, "/prepare", body: prepare.encoded))
        }
        requests.append(HTTPRequest(.put, "/characteristics", body: write.encoded))
        let responses = try await exchange(requests, within: timing.request)
        guard let response = responses.last else { throw .ended(.badAnswer) }
        let isComplete = responses.count == requests.count
        let said = isComplete ? try answers(to: response) : nil
        var answers: [CharacteristicID: CharacteristicAnswer] = [:]
        for entry in entries {
            let whole = isComplete ? HAPStatus(wholeOf: response) : HAPStatus.unlessSuccess(of: response)
            answers[entry.id] =
                said?[entry.id]
                // The response has no entry for this characteristic: use the status of the whole response, if it has
                // one.
                ?? CharacteristicAnswer(
                    id: entry.id, status: said == nil ? whole : .unableToCommunicate, value: nil)
        }
        return answers
    }

    /// Returns the entries of a response; `nil` if the response has a single status for the whole request.
    private func answers(
        to response: HTTPResponse
    ) throws(RequestError) -> [CharacteristicID: CharacteristicAnswer]? {
        switch response.status {
        case 401, 403, 470:
            close(.notAuthorized)
            throw .ended(.notAuthorized)
        default: break
        }
        guard !response.body.isEmpty else { return nil }
        guard let list = CharacteristicAnswer.list(parsing: response.body) else {
            guard HAPStatus(parsing: response.body) == nil, response.status < 300 else { return nil }
            close(.badAnswer)
            throw .ended(.badAnswer)
        }
        return Dictionary(list.map { ($0.id, $0) }) { $1 }
    }
}

extension HAPStatus {
    /// Creates the status of every characteristic from a response without entries.
    fileprivate init(wholeOf response: HTTPResponse) {
        self =
            HAPStatus(parsing: response.body)
            ?? ((200...299).contains(response.status)
                ? .success : response.status < 500 ? .invalidValue : .unableToCommunicate)
    }

    /// Returns the status of a write that wasn't sent, because the accessory refused the prepare request.
    fileprivate static func unlessSuccess(of response: HTTPResponse) -> HAPStatus {
        let status = HAPStatus(wholeOf: response)
        return status == .success ? .unableToCommunicate : status
    }
}

extension Array {
    fileprivate func batches(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
