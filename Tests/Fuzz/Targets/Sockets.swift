internal import BoundedJSON
internal import HomeModel
internal import LineRPC

/// Checks the lines and messages that any local process may write to a socket.
@Sendable func checkRPC(_ input: [UInt8]) {
    for limit in [8, 64, 1 << 16] {
        var whole = LineSplitter(maximumLength: limit)
        var cut = LineSplitter(maximumLength: limit)
        let events = whole.received(input)
        promise(
            events == input.pieces.flatMap { cut.received($0) }, "the position at which a line is split doesn't matter")
        for case .line(let line) in events {
            promise(
                line.count <= limit && !line.contains(UInt8(ascii: "\n")),
                "a line has no line break and a limited length")
        }
    }
    for line in input.lines {
        let message: RPCMessage
        do throws(RPCMessage.Refusal) {
            message = try RPCMessage(parsing: Array(line))
        } catch {
            promise(!error.failure.message.isEmpty, "an error has a message")
            continue
        }
        let text = message.line
        promise(text.firstIndex(of: UInt8(ascii: "\n")) == text.count - 1, "a message is one line")
        let again = try? RPCMessage(parsing: Array(text.dropLast()))
        promise(again?.line == text, "an encoded message parses into the original")
    }
}

/// Checks the requests of apps to the home daemon, and the daemon's notifications.
///
/// Each line of the input is a method, a space and the parameters.
@Sendable func checkHome(_ input: [UInt8]) {
    for line in input.lines {
        let name = line.prefix { $0 != UInt8(ascii: " ") }
        guard let params = try? JSONValue(parsing: Array(line.dropFirst(name.count + 1))) else { continue }
        let method = String(decoding: name, as: UTF8.self)
        if let request = try? HomeRequest(method: method, params: params) {
            promise(request.method == method, "a parsed request has the given method")
            let again = rewritten(request.params).flatMap { try? HomeRequest(method: method, params: $0) }
            promise(again == request, "an encoded request parses into the original")
        }
        if let events = try? HomeNotification(method: method, params: params) {
            promise(events.method == method, "parsed events have the given method")
            let again = rewritten(events.params).flatMap { try? HomeNotification(method: method, params: $0) }
            promise(again == events, "encoded events parse into the original")
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
    promise(again == reply, "an encoded reply parses into the original")
}

private func rewritten(_ json: JSONValue) -> JSONValue? {
    let text = json.encoded
    return try? JSONValue(parsing: text, maximumLength: text.count)
}
