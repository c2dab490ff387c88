/// The `key=value` strings of a DNS-SD service, in the order they are sent.
package struct TXTRecord: Equatable, Sendable, ExpressibleByDictionaryLiteral {
    package struct Entry: Equatable, Sendable {
        package let key: String
        package let value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    package private(set) var entries: [Entry]

    package init(_ pairs: [(String, String)] = []) {
        entries = pairs.map { Entry(key: $0.0, value: $0.1) }
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements)
    }

    package subscript(key: String) -> String? {
        entries.first { $0.key == key }?.value
    }
}

extension TXTRecord: CustomStringConvertible {
    package var description: String {
        entries.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
