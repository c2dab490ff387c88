import BoundedJSON
import HTTPKit
import SodiumKit
package import SystemKit

/// The transport of a session with a Shelly device, which uses one HTTP request and then a WebSocket.
package struct ShellyConnection: DeviceConnection {
    package typealias Session = ShellySession

    private let password: SecretFile?

    package init(password: SecretFile? = nil) { self.password = password }

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<ShellySession.Output>,
        receive: @escaping @Sendable (ShellySession.Input) async -> Void
    ) async -> SessionFault {
        let server = HTTPServer(route: route)
        let (messages, sender) = AsyncStream.makeStream(of: [UInt8].self)
        return await withDiscardingTaskGroup { tasks in
            defer { tasks.cancelAll() }
            var secret: String?
            for await output in outputs {
                switch output {
                case .identify:
                    do throws(HTTPFault) {
                        await receive(
                            .identity(try await server.answer(to: HTTPClientRequest(method: .get, path: "/shelly"))))
                    } catch {
                        return .unreachable(error.text)
                    }
                case .open:
                    do throws(SecretFile.Problem) {
                        secret = try password?.read()
                    } catch {
                        return .unauthorized(error.text)
                    }
                    tasks.addTask {
                        do throws(HTTPFault) {
                            try await server.followWebSocket("/rpc", sending: messages) {
                                await receive(.opened)
                            } receive: { message in
                                await receive(.message(message))
                            }
                        } catch {
                            await receive(.closed(error))
                        }
                    }
                case .call(let call):
                    let nonce = Base64.encode(RandomBytes.make(count: 16))
                    sender.yield(call.encoded(password: secret, clientNonce: nonce))
                }
            }
            return .unreachable("the connection was closed")
        }
    }
}
