internal import BoundedJSON
internal import HomeModel
internal import LineRPC

/// Data that any local program may write to a socket: lines, and the messages in them.
@Sendable func checkRPC(_ input: [UInt8]) {
    for limit in [8, 64, 1 << 16] {
        var whole = LineSplitter(maximumLength: limit)
        var cut = LineSplitter(maximumLength: limit)
        let events = whole.received(input)
        promise(events == input.pieces.flatMap { cut.received($0) }, "it does not matter where a line is cut")
        for case .line(let line) in events {
            promise(line.count <= limit && !line.contains(UInt8(ascii: "\n")), "a line is one, and bounded")
        }
    }
    for line in input.lines {
        let message: RPCMessage
        do throws(RPCMessage.Refusal) {
            message = try RPCMessage(parsing: Array(line))
        } catch {
            promise(!error.failure.message.isEmpty, "a refusal says why")
            continue
        }
        let text = message.line
        promise(text.firstIndex(of: UInt8(ascii: "\n")) == text.count - 1, "a message is one line")
        let again = try? RPCMessage(parsing: Array(text.dropLast()))
        promise(again?.line == text, "a message parses into the original")
    }
}

/// Requests of apps to the home's daemon, and its notifications.
///
/// Each line is a method, a space and parameters.
@Sendable func checkHome(_ input: [UInt8]) {
    for line in input.lines {
        let name = line.prefix { $0 != UInt8(ascii: " ") }
        guard let params = try? JSONValue(parsing: Array(line.dropFirst(name.count + 1))) else { continue }
        let method = String(decoding: name, as: UTF8.self)
        if let request = try? HomeRequest(method: method, params: params) {
            promise(request.method == method, "a request bears the name by which it was read")
            let again = rewritten(request.params).flatMap { try? HomeRequest(method: method, params: $0) }
            promise(again == request, "a request parses into the original")
        }
        if let events = try? HomeNotification(method: method, params: params) {
            promise(events.method == method, "events bear the name by which they were read")
            let again = rewritten(events.params).flatMap { try? HomeNotification(method: method, params: $0) }
            promise(again == events, "events parse into the original")
        }
        checkReply(HomesReply.self, params)
        checkReply(AccessoryBatch.self, params)
        checkReply(HomeCommit.self, params)
        checkReply([ValueResult].self, params)
        checkReply(AdditionReply.self, params)
        checkReply([AppPermission].self, params)
    }
}

private func checkReply<Reply: HomeMessage>(_: Reply.Type, _ json: JSONValue) {
    guard let reply = try? Reply(json: json) else { return }
    let again = rewritten(reply.json).flatMap { try? Reply(json: $0) }
    promise(again == reply, "a reply parses into the original")
}

private func rewritten(_ json: JSONValue) -> JSONValue? {
    let text = json.encoded
    return try? JSONValue(parsing: text, maximumLength: text.count)
}
