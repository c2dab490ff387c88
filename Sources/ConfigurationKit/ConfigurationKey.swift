/// A key or an index in a coding path.
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
