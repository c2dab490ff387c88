import ArgumentParser
import AsyncKit
import BridgeControl
import LineRPC

extension CompletionKind {
    /// Completes the keys of the daemon's lights.
    static var lightKeys: CompletionKind { asking { try await $0.lights().map(\.key) } }

    /// Completes the identifiers of paired controllers.
    static var pairings: CompletionKind { asking { try await $0.pairings().map(\.id) } }

    /// Completes the names of values, and true or false for Boolean values.
    static func changes(_ purpose: LightChange.Purpose) -> CompletionKind {
        .custom { _, _, prefix in
            guard let end = prefix.firstIndex(of: "=") else { return purpose.names.map { $0 + "=" } }
            let name = prefix[..<end]
            return LightChange.switches.contains(String(name)) ? ["\(name)=true", "\(name)=false"] : []
        }
    }

    /// Completes words that the daemon provides.
    ///
    /// There are no completions if the daemon is unavailable or takes longer than a second.
    private static func asking(
        _ body: @escaping @Sendable (BridgeControlClient) async throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, _ async in
            let control = zip(words, words.dropFirst()).first { $0.0 == "--control" }?.1
            let location = SocketLocation(of: .bridge, given: control)
            let words = try? await withTimeLimit(.seconds(1)) {
                try await BridgeControlClient.connect(to: location, body)
            }
            return words ?? []
        }
    }
}
