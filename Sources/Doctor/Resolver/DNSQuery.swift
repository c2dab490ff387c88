/// A multicast DNS query: the records received so far, and the remaining questions.
///
/// It has no socket or clock. It processes datagrams that its owner has received, and provides the questions to send
/// next. Its size is limited.
struct DNSQuery: Sendable {
    /// The maximum number of stored records, which limits memory on busy or hostile networks.
    static let maximumRecords = 2048
    /// The maximum number of other services to query.
    static let maximumServices = 64

    /// The ID, which responses to this query repeat.
    package let id: UInt16
    /// The main service to look for.
    ///
    /// The query also looks for all other services.
    package let instance: DNSName
    package private(set) var records: [DNSRecord] = []
    /// The addresses of all responders.
    private(set) var responders: Set<String> = []
    private var known: Set<DNSRecord> = []
    private let standing: [DNSMessage.Question]

    /// Creates a query for an instance of a service.
    ///
    /// - Parameters:
    ///   - instance: The instance name.
    ///   - address: An address of this host, 4 or 16 bytes. This host's responder always answers questions about it.
    ///   - id: The ID that identifies responses to this query.
    package init(instance: String, address: [UInt8], id: UInt16) {
        self.instance = .hapService(instance)
        self.id = id
        // Every host that has services answers the question for service types. This host may not have any services, but
        // it answers the question for the reverse name.
        standing = [.hapServices, .allServiceTypes, .reverse(of: address)].map { DNSMessage.Question($0, .ptr) }
    }

    /// Adds a received datagram.
    ///
    /// Datagrams that don't answer this query are ignored.
    package mutating func received(_ bytes: [UInt8], from responder: String) {
        // An ID of 0 is accepted, because some responders don't repeat the ID, although RFC 6762, 6.7 requires it.
        guard let message = try? DNSMessage(bytes), message.isResponse, message.id == id || message.id == 0 else {
            return
        }
        if responders.count < Self.maximumServices { responders.insert(responder) }
        for record in message.records where records.count < Self.maximumRecords && known.insert(record).inserted {
            records.append(record)
        }
    }

    /// The questions to send next.
    ///
    /// Some questions are always sent, because any host may answer them. Others request missing records.
    package var questions: [DNSMessage.Question] {
        let known = ServiceInstance.all(in: records)
        let others = known.map { DNSName.hapService($0.name) }
        var missing: [DNSMessage.Question] = []
        for name in ([instance] + others).unique.prefix(1 + Self.maximumServices) {
            missing += [DNSMessage.Question(name, .srv), DNSMessage.Question(name, .txt)]
        }
        for host in known.prefix(Self.maximumServices).flatMap(\.places).map(\.host).unique {
            missing += [DNSMessage.Question(host, .a), DNSMessage.Question(host, .aaaa)]
        }
        let answered = answered
        return standing + missing.filter { !answered.contains($0) }
    }

    /// The answered questions.
    ///
    /// One address of a host answers the questions for both address types.
    private var answered: Set<DNSMessage.Question> {
        var answered: Set<DNSMessage.Question> = []
        for record in records {
            let kinds: [DNSMessage.Kind] =
                switch record.content {
                case .pointer: []
                case .service: [.srv]
                case .text: [.txt]
                case .address: [.a, .aaaa]
                }
            for kind in kinds { answered.insert(DNSMessage.Question(record.name, kind)) }
        }
        return answered
    }

    /// A Boolean value that indicates whether the service is listed and no records of known services are missing.
    package var isComplete: Bool {
        isListed && questions.count == standing.count
    }

    private var isListed: Bool {
        records.contains { $0.name == .hapServices && $0.content == .pointer(instance) }
    }
}
