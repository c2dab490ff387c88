/// What one look at the network has brought so far, and what is still to be asked.
///
/// A value without socket or clock: it is notified of datagrams, and says what to ask next. What it keeps is bounded.
struct DNSQuery: Sendable {
    /// So many records of a busy or hostile network are kept.
    static let maximumRecords = 2048
    /// So many services beside our own are asked about.
    static let maximumServices = 64

    /// Comes back in the answers to this query.
    package let id: UInt16
    /// The service that is looked for, besides all others.
    package let instance: DNSName
    package private(set) var records: [DNSRecord] = []
    /// Who has answered.
    private(set) var responders: Set<String> = []
    private var known: Set<DNSRecord> = []
    private let standing: [DNSMessage.Question]

    /// Begins a query for an instance of a service.
    ///
    /// The address is one of this host, 4 or 16 bytes, which its responder knows in any case; the id marks answers to
    /// this query.
    package init(instance: String, address: [UInt8], id: UInt16) {
        self.instance = .hapService(instance)
        self.id = id
        // The list of service types makes all hosts speak, and the reverse name the one that has no services.
        standing = [.hapServices, .allServiceTypes, .reverse(of: address)].map { DNSMessage.Question($0, .ptr) }
    }

    /// A datagram has come; what is not an answer to this query is left alone.
    package mutating func received(_ bytes: [UInt8], from responder: String) {
        // Some responders do not repeat the id, although RFC 6762, 6.7 wants it.
        guard let message = try? DNSMessage(bytes), message.isResponse, message.id == id || message.id == 0 else {
            return
        }
        if responders.count < Self.maximumServices { responders.insert(responder) }
        for record in message.records where records.count < Self.maximumRecords && known.insert(record).inserted {
            records.append(record)
        }
    }

    /// What is to be asked next: the standing questions, as any host may answer, and what is not known yet.
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

    /// What has been answered; one address of a host answers for both kinds.
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

    /// Whether the service that is looked for is listed, and nothing is open about any other.
    package var isComplete: Bool {
        isListed && questions.count == standing.count
    }

    private var isListed: Bool {
        records.contains { $0.name == .hapServices && $0.content == .pointer(instance) }
    }
}
