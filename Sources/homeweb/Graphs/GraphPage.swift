import HAPModel
import HTTPTypes
import HomeClient
import HomeModel
import HomePresentation
import Hummingbird
import HummingbirdCore
import NIOCore
import Texts

/// The routes of the page with the graphs of a service's past values, and of the graphs' pictures.
enum GraphPage {
    static func add(to router: RouterGroup<WebContext>, _ site: Site) {
        router.get("/services/:id/history") { request, context in
            let visitor = try context.visitor
            let (home, service) = try await ValueActions.service(context, site, visitor)
            let span = Query(request.uri.query ?? "").span
            guard let accessory = home.accessory(of: service.id) else { throw ValueActions.notFound }
            let name = accessory.shownName(of: service)
            let path = "/services/\(service.id)/history"
            let values: Templates.Values = [
                "name": name, "service": "\(service.id)", "graphs": values(of: service, span),
                "spans": Graph.Span.allCases.map {
                    ["name": $0.name, "path": "\(path)?span=\($0.rawValue)", "current": $0 == span] as Templates.Values
                },
            ]
            return Response.page(
                Layout(
                    title: localized("\(name), history"), content: Templates.render("graphs", values), visitor: visitor,
                    place: "/"
                ))
        }
        router.get("/services/:id/history/:file") { request, context in
            let visitor = try context.visitor
            let (home, service) = try await ValueActions.service(context, site, visitor)
            let id = context.parameters.get("file").flatMap { name in
                name.hasSuffix(".svg") ? Characteristic.ID(String(name.dropLast(4))) : nil
            }
            guard let characteristic = service.graphed.first(where: { $0.id == id }) else {
                throw ValueActions.notFound
            }
            let graph = try await graph(of: characteristic, Query(request.uri.query ?? "").span, home, site)
            return Response(
                status: .ok, headers: [.contentType: "image/svg+xml", .cacheControl: "private, max-age=60"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: graph.svg)))
        }
    }

    private static func graph(
        of characteristic: Characteristic, _ span: Graph.Span, _ home: Home, _ site: Site
    ) async throws -> Graph {
        let end = Timestamp.now
        let start = Timestamp(millisecondsSince1970: end.millisecondsSince1970 - span.milliseconds)
        let entries = try await site.graphs.run {
            try await site.manager.history(of: characteristic.id, from: start, to: end, every: span.interval)
        }
        return Graph(entries, of: characteristic, span: span, end: end, time: .current(of: home, now: end))
    }

    /// Returns the template values of a service's graphs.
    ///
    /// The address of a picture changes every five minutes, so that a redrawn page shows newer values.
    static func values(of service: Service, _ span: Graph.Span) -> [Templates.Values] {
        service.graphed.map { values(of: $0, on: service, span) }
    }

    /// Returns the template values of the graph of one characteristic; `nil` if it has none.
    static func values(of characteristic: Characteristic, _ service: Service, _ span: Graph.Span) -> Templates.Values? {
        service.graphed.contains { $0.id == characteristic.id } ? values(of: characteristic, on: service, span) : nil
    }

    private static func values(
        of characteristic: Characteristic, on service: Service, _ span: Graph.Span
    ) -> Templates.Values {
        let minutes = Timestamp.now.millisecondsSince1970 / 300_000
        let path = "/services/\(service.id)/history"
        return [
            "name": service.graphName(of: characteristic), "span": span.name, "path": path,
            "picture": "\(path)/\(characteristic.id).svg?span=\(span.rawValue)&at=\(minutes)",
        ]
    }
}

extension Query {
    /// The requested period; a day by default.
    fileprivate var span: Graph.Span { self["span"].flatMap(Graph.Span.init) ?? .day }
}

extension Service {
    /// The characteristics with graphs, starting with the read-only characteristics.
    var graphed: [Characteristic] {
        let values = characteristics.filter { $0.isForPeople && $0.hasHistory && $0.type != .serviceLabelIndex }
        let isControl = { (characteristic: Characteristic) in characteristic.metadata.permissions.contains(.pairedWrite)
        }
        return values.filter { !isControl($0) } + values.filter(isControl)
    }

    /// Returns the name of a graph, which distinguishes a measured temperature or position from a set one.
    fileprivate func graphName(of characteristic: Characteristic) -> String {
        let label = characteristic.label
        let isSet = characteristic.metadata.permissions.contains(.pairedWrite)
        return isSet && graphed.contains { $0.id != characteristic.id && $0.label == label }
            ? localized("\(label) (set)") : label
    }
}
