/// A key or a place in a list, for naming where something stands.
package struct ConfigurationKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(_ word: String) {
        stringValue = word
        intValue = nil
    }

    package init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    package init(stringValue: String) { self.init(stringValue) }
    package init(intValue: Int) { self.init(intValue) }
}
