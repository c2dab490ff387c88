import BoundedJSON
import HTTPKit
package import SystemKit

/// The transport of a session with a first-generation Shelly device, which uses sequential HTTP requests and receives
/// CoIoT packets.
package struct ShellyGen1Connection: DeviceConnection {
    package typealias Session = ShellyGen1Session

    private static let user = "admin"

    private let password: SecretFile?
    private let packets = CoIoTListener()

    package init(password: SecretFile? = nil) { self.password = password }

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<ShellyGen1Session.Output>,
        receive: @escaping @Sendable (ShellyGen1Session.Input) async -> Void
    ) async -> SessionFault {
        let server = HTTPServer(route: route)
        let lane = HTTPLane()
        return await withDiscardingTaskGroup { tasks in
            defer { tasks.cancelAll() }
            tasks.addTask {
                await lane.serve(server, limit: ShellyGen1Session.maximumBody) { number, result in
                    switch result {
                    case .success(let response): await receive(.answer(number: number, response))
                    case .failure(let fault): await receive(.noAnswer(number: number, fault))
                    }
                }
            }
            var authorization: String?
            for await output in outputs {
                switch output {
                case .request(let number, var request, let isProtected):
                    if isProtected, let password {
                        do throws(SecretFile.Problem) {
                            if authorization == nil { authorization = Self.authorization(try password.read()) }
                        } catch {
                            return .unauthorized(error.text)
                        }
                        request.headers["Authorization"] = authorization
                    }
                    lane.send(request, number: number)
                case .listen:
                    guard let address = route.address.flatMap({ IPv4Endpoint($0, port: 0) })?.address else { continue }
                    tasks.addTask { [packets] in
                        for await _ in packets.signals(from: address) { await receive(.pushed) }
                    }
                }
            }
            return .unreachable("the connection was closed")
        }
    }

    /// Returns the header field of basic authentication (RFC 7617).
    static func authorization(_ password: String) -> String {
        "Basic " + Base64.encode(Array("\(user):\(password)".utf8))
    }
}
