/// A YAML document of limited size, with the positions of its nodes.
struct YAMLDocument {
    let file: String
    let root: Node

    init(
        bytes: [UInt8], file: String, mayBeEmpty: Bool = false, example: String = StrictYAML.usualExample
    ) throws(ConfigurationError) {
        self.file = file
        func fault(_ line: Int, _ column: Int, _ problem: String, _ remedy: String) -> ConfigurationError {
            ConfigurationError(file: file, line: line, column: column, keyPath: "", problem: problem, remedy: remedy)
        }
        guard bytes.count <= StrictYAML.maximumLength else {
            throw fault(1, 1, "the file is larger than 1 MiB", "shorten it")
        }
        let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(3)) : bytes
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let (line, column) = Self.placeOfBadUTF8(in: bytes)
            throw fault(line, column, "the file isn't UTF-8", "save it as UTF-8")
        }
        let expansion = AliasExpansion(of: bytes)
        guard expansion.isBounded else {
            throw fault(expansion.line, 1, "the aliases (*) expand to too many nodes", "replace them with the values")
        }
        let node: Node?
        do throws(SyntaxError) {
            node = try NodeComposer.root(of: bytes)
        } catch {
            throw Self.located(error, bytes: bytes, text: text, fault)
        }
        switch node {
        case let node? where !node.isEmpty: root = node
        default:
            guard mayBeEmpty else {
                throw fault(1, 1, "the file is empty", "start with \(example)")
            }
            root = Node(content: .mapping([]), hasPlainTag: true, mark: Mark(line: 1, column: 1))
        }
    }

    private static func placeOfBadUTF8(in bytes: [UInt8]) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        var iterator = bytes.makeIterator()
        var decoder = Unicode.UTF8()
        while case .scalarValue(let scalar) = decoder.decode(&iterator) {
            (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
        }
        return (line, column)
    }

    private static func located(
        _ error: SyntaxError, bytes: [UInt8], text: String, _ fault: (Int, Int, String, String) -> ConfigurationError
    ) -> ConfigurationError {
        let remedy = "check indentation, colons and quotes here and just above"
        switch error {
        case .secondDocument(let mark):
            return fault(mark.line, mark.column, "a second document begins here", "keep only one")
        case .undefinedAlias(let mark):
            return fault(mark.line, mark.column, "undefined alias", "replace it with the value")
        case .invalid(let problem, let mark):
            let lines = text.split(separator: "\n", maxSplits: mark.line, omittingEmptySubsequences: false)
            let line = mark.line <= lines.count ? lines[mark.line - 1] : ""
            if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
                return fault(mark.line, mark.column, "not valid YAML: a tab in the indentation", "use spaces")
            }
            return fault(mark.line, mark.column, "not valid YAML: \(problem)", remedy)
        case .forbiddenByte(let offset):
            let before = String(decoding: bytes.prefix(offset), as: UTF8.self).unicodeScalars
            let line = before.count { $0 == "\n" } + 1
            let column = before.reversed().prefix { $0 != "\n" }.count + 1
            return fault(line, column, "a control character that YAML doesn't allow", "remove it")
        case .duplicateKey(let key, let first, let second):
            var result = fault(
                second.line, second.column, "set twice, first on line \(first.line)", "keep only one")
            result.keyPath = Secrets.shown(key)
            return result
        case .outOfMemory: return fault(1, 1, "not enough memory to read the file", "shorten it")
        }
    }
}
