internal import HAPProtocol
internal import Logging

/// An endpoint, identified by method and path (HAP 8.1, 8.2).
package enum Route: Int, Hashable, Sendable, CaseIterable {
    case accessories, characteristicsRead, characteristicsWrite, prepare, pairings, identify, pairSetup, pairVerify
    case methodNotAllowed, notFound

    /// The endpoint's method and path, or a description of requests that match no endpoint.
    package var name: String {
        switch self {
        case .accessories: "GET /accessories"
        case .characteristicsRead: "GET /characteristics"
        case .characteristicsWrite: "PUT /characteristics"
        case .prepare: "PUT /prepare"
        case .pairings: "POST /pairings"
        case .identify: "POST /identify"
        case .pairSetup: "POST /pair-setup"
        case .pairVerify: "POST /pair-verify"
        case .methodNotAllowed: "other method"
        case .notFound: "other path"
        }
    }

    init(_ request: HTTPRequest) {
        switch (request.path, request.method) {
        case ("/characteristics", .get): self = .characteristicsRead
        case ("/characteristics", .put): self = .characteristicsWrite
        case ("/accessories", .get): self = .accessories
        case ("/prepare", .put): self = .prepare
        case ("/pairings", .post): self = .pairings
        case ("/identify", .post): self = .identify
        case ("/pair-setup", .post): self = .pairSetup
        case ("/pair-verify", .post): self = .pairVerify
        case ("/characteristics", _), ("/accessories", _), ("/prepare", _), ("/pairings", _), ("/identify", _),
            ("/pair-setup", _), ("/pair-verify", _):
            self = .methodNotAllowed
        default: self = .notFound
        }
    }
}

extension AccessoryServer {
    /// Routes a request to its endpoint, or rejects it.
    func handle(_ request: HTTPRequest, _ session: AccessorySession) {
        // Web pages must not use up pairing attempts through their visitors' browsers (HAP 7.3).
        guard !request.isFromBrowser else {
            logger.info("browser request refused", metadata: ["peer": "\(session.connection.peer)"])
            session.closesAfterAnswer = true
            answer(session, HTTPResponse(403))
            return
        }
        switch session.route {
        case .pairSetup, .pairVerify: pairingProcedure(request, session)
        case .identify: identify(session)
        case .methodNotAllowed where session.isVerified || request.path.hasPrefix("/pair-"),
            .methodNotAllowed where request.path == "/identify":
            answer(session, HTTPResponse(405))
        case .notFound where session.isVerified: answer(session, HTTPResponse(404))
        case .accessories, .characteristicsRead, .characteristicsWrite, .prepare, .pairings, .methodNotAllowed,
            .notFound:
            guard let controller = session.controller else {
                refuseUnverified(request, session)
                return
            }
            handle(request, session, from: controller)
        }
    }

    /// Starts or continues pair setup or pair verify, which require an unencrypted connection and TLV8 bodies (HAP
    /// 5.1).
    private func pairingProcedure(_ request: HTTPRequest, _ session: AccessorySession) {
        guard !session.isVerified, request.contentType == .pairingTLV8 else {
            return answer(session, HTTPResponse(400))
        }
        if session.route == .pairSetup { pairSetup(request.body, session) } else { pairVerify(request.body, session) }
    }

    private func handle(_ request: HTTPRequest, _ session: AccessorySession, from controller: ControllerID) {
        switch session.route {
        case .accessories: accessories(session)
        case .characteristicsRead: readCharacteristics(request.query, session)
        case .characteristicsWrite: writeCharacteristics(request.body, session)
        case .prepare: prepare(request.body, session)
        case .pairings: pairings(request.body, session, from: controller)
        case .identify, .pairSetup, .pairVerify, .methodNotAllowed, .notFound: answer(session, HTTPResponse(404))
        }
    }

    private func refuseUnverified(_ request: HTTPRequest, _ session: AccessorySession) {
        switch request.path {
        case "/accessories", "/characteristics", "/prepare", "/resource":
            answer(session, HTTPResponse(470, .hapJSON, body: HAPStatus.insufficientAuthorization.body))
        default: answer(session, HTTPResponse(470))
        }
    }
}
