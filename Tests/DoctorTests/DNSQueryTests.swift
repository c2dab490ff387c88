import TestTimeouts
import Testing

@testable import Doctor

@Suite("DNSQuery", .timeout)
struct DNSQueryTests {
    private let bridge = DNSName.hapService("Bridge AB12")
    private let lamp = DNSName.hapService("Lamp")
    private let host = DNSName(["host", "local"])

    private func query() -> DNSQuery { DNSQuery(instance: "Bridge AB12", address: [10, 0, 0, 1], id: 7) }

    /// Returns a response with these records, whose names aren't compressed.
    private func response(_ records: DNSRecord..., id: UInt16 = 7, isResponse: Bool = true) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
        func name(_ name: DNSName) -> [UInt8] {
            name.labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
        }
        var bytes = number(Int(id)) + [isResponse ? 0x84 : 0, 0, 0, 0] + number(records.count) + [0, 0, 0, 0]
        for record in records {
            let (kind, content): (Int, [UInt8]) =
                switch record.content {
                case .pointer(let target): (12, name(target))
                case .service(let target, let port): (33, [0, 0, 0, 0] + number(Int(port)) + name(target))
                case .text(let strings): (16, strings.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) })
                case .address(let address): (address.count == 4 ? 1 : 28, address)
                }
            bytes += name(record.name) + number(kind) + number(1) + [0, 0, 0, 120] + number(content.count) + content
        }
        return bytes
    }

    @Test("asks for all services, then for missing records")
    func transcript() {
        var query = query()
        let standing: [DNSMessage.Question] = [
            .init(.hapServices, .ptr), .init(.allServiceTypes, .ptr), .init(.reverse(of: [10, 0, 0, 1]), .ptr),
        ]
        #expect(query.questions == standing + [.init(bridge, .srv), .init(bridge, .txt)])
        query.received(
            response(DNSRecord(.hapServices, .pointer(bridge)), DNSRecord(bridge, .text(["sf=1"]))), from: "a")
        #expect(query.questions == standing + [.init(bridge, .srv)])
        query.received(response(DNSRecord(bridge, .service(target: host, port: 1))), from: "a")
        #expect(query.questions == standing + [.init(host, .a), .init(host, .aaaa)])
        #expect(!query.isComplete)
        query.received(response(DNSRecord(host, .address([1, 2, 3, 4]))), from: "a")
        #expect(query.questions == standing)
        #expect(query.isComplete)
        query.received(response(DNSRecord(.hapServices, .pointer(lamp))), from: "b")
        #expect(query.questions == standing + [.init(lamp, .srv), .init(lamp, .txt)])
        #expect(query.responders == ["a", "b"])
    }

    @Test("ignores other messages")
    func foreign() {
        var query = query()
        let record = DNSRecord(.hapServices, .pointer(bridge))
        query.received(response(record, id: 8), from: "a")
        query.received(response(record, isResponse: false), from: "a")
        query.received([1, 2, 3], from: "a")
        #expect(query.records.isEmpty && query.responders.isEmpty)
        query.received(response(record, id: 0), from: "a")
        #expect(query.records == [record])
    }

    @Test("limits the numbers of records and responders")
    func bounded() {
        var query = query()
        for number in 0..<3000 {
            query.received(
                response(DNSRecord(.hapServices, .pointer(.hapService("x\(number)")))), from: "\(number)")
        }
        #expect(query.records.count == DNSQuery.maximumRecords)
        #expect(query.responders.count == DNSQuery.maximumServices)
        #expect(query.questions.count == 3 + 2 * (1 + DNSQuery.maximumServices))
    }

    @Test("combines records into services, and keeps both hosts of a name")
    func instances() {
        let other = DNSName(["other", "local"])
        let records = [
            DNSRecord(.hapServices, .pointer(bridge)),
            DNSRecord(DNSName(["_other", "_tcp", "local"]), .pointer(DNSName(["x", "_other", "_tcp", "local"]))),
            DNSRecord(bridge, .service(target: host, port: 1)),
            DNSRecord(DNSName.hapService("BRIDGE ab12"), .service(target: other, port: 2)),
            DNSRecord(bridge, .text(["SF=1", "md=a=b", "flag", "sf=0"])), DNSRecord(bridge, .text(["sf=7"])),
            DNSRecord(host, .address([1, 2, 3, 4])), DNSRecord(DNSName(["other"]), .address([4, 3, 2, 1])),
        ]
        #expect(
            ServiceInstance.all(in: records) == [
                ServiceInstance(
                    name: "Bridge AB12", places: [.init(host: host, port: 1), .init(host: other, port: 2)],
                    txt: ["sf": "1", "md": "a=b", "flag": ""], addresses: [[1, 2, 3, 4]])
            ])
    }

    @Test(
        "finds the path of the D-Bus socket in its address",
        arguments: [
            (nil, nil), ("", nil), ("unix:path=/run/bus", "/run/bus"), ("tcp:host=h;unix:guid=1,path=/b", "/b"),
            ("unix:abstract=x", nil),
        ] as [(String?, String?)])
    func busPath(address: String?, path: String?) {
        #expect(UnixProbe.busPath(in: address) == path)
    }

    @Test("reads the users of port 5353 from the kernel's table of sockets")
    func listeners() {
        let table = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref
              10: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   107        0 1 2 0
              11: 00000000:0044 00000000:14E9 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0
              12: broken
              13: 0100007F:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 1 2 0
            """
        #expect(MulticastListeners.uids(in: table) == [107, 1000])
    }
}
