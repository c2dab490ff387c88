import HTTPKit

/// Sends requests to a server in order over one connection, and reconnects if the connection breaks.
struct HTTPLane: Sendable {
    private let requests: AsyncStream<(number: Int, request: HTTPClientRequest)>
    private let sender: AsyncStream<(number: Int, request: HTTPClientRequest)>.Continuation

    init() { (requests, sender) = AsyncStream.makeStream() }

    func send(_ request: HTTPClientRequest, number: Int) { sender.yield((number, request)) }

    /// Ends the lane after all requests that were queued before this call.
    func end() { sender.finish() }

    /// Executes the queued requests until ``end()`` is called or the task is canceled.
    ///
    /// Calls `receive` with the number and the result of each request.
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
                            // The server probably closed the idle connection before it received this request, so repeat
                            // the request over a new connection.
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
