import HTTPKit

/// The transport of a session with a WLED device, which uses sequential HTTP requests and a WebSocket.
package struct WLEDConnection: DeviceConnection {
    package typealias Session = WLEDSession

    package init() {}

    package func run(
        over route: DeviceRoute, outputs: AsyncStream<WLEDSession.Output>,
        receive: @escaping @Sendable (WLEDSession.Input) async -> Void
    ) async -> SessionFault {
        let server = HTTPServer(route: route)
        let lane = HTTPLane()
        await withDiscardingTaskGroup { tasks in
            tasks.addTask {
                await lane.serve(server, limit: WLEDSession.maximumBody) { number, result in
                    switch result {
                    case .success(let response): await receive(.answer(number: number, response))
                    case .failure(let fault): await receive(.noAnswer(number: number, fault))
                    }
                }
            }
            for await output in outputs {
                switch output {
                case .request(let number, let request): lane.send(request, number: number)
                case .openWebSocket:
                    tasks.addTask {
                        do throws(HTTPFault) {
                            try await server.followWebSocket("/ws") {
                                await receive(.webSocketOpened)
                            } receive: { message in
                                await receive(.message(message))
                            }
                        } catch {
                            await receive(.webSocketClosed)
                        }
                    }
                }
            }
            tasks.cancelAll()
        }
        return .unreachable("the connection was closed")
    }
}
