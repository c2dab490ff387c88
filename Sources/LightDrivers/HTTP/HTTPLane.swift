/// Sends requests to a server one after the other, over a connection that is made again when it breaks.
struct HTTPLane: Sendable {
    private let requests: AsyncStream<(number: Int, request: HTTPClientRequest)>
    private let sender: AsyncStream<(number: Int, request: HTTPClientRequest)>.Continuation

    init() { (requests, sender) = AsyncStream.makeStream() }

    func send(_ request: HTTPClientRequest, number: Int) { sender.yield((number, request)) }

    /// Nothing follows; what was sent before is still carried out.
    func end() { sender.finish() }

    /// Carries out what is sent, until ``end()`` or the task's cancellation.
    @concurrent
    func serve(
        _ server: HTTPServer, limit: Int,
        _ receive: @Sendable (Int, Result<HTTPClientResponse, HTTPFault>) async -> Void
    ) async {
        var requests = requests.makeAsyncIterator()
        var next = await requests.next()
        while let current = next {
            do throws(HTTPFault) {
                try await server.withConnection { connection in
                    var isFirst = true
                    while let (number, request) = next, connection.isReusable {
                        let response: HTTPClientResponse
                        do {
                            response = try await connection.send(request, limit: limit)
                        } catch {
                            // The server had hung up before it got this request: it goes over a new connection.
                            guard !isFirst, case .connection = HTTPFault(error) else { throw error }
                            return
                        }
                        isFirst = false
                        await receive(number, .success(response))
                        next = await requests.next()
                    }
                }
            } catch {
                await receive(next?.number ?? current.number, .failure(error))
                next = await requests.next()
            }
        }
    }
}
