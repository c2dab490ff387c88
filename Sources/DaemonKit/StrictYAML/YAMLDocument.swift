import Yams

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
            throw fault(line, column, "the file isn't UTF-8", "save it in that encoding")
        }
        let expansion = AliasExpansion(of: bytes)
        guard expansion.isBounded else {
            throw fault(expansion.line, 1, "the aliases (*) expand to too many nodes", "write the values out")
        }
        let node: Node?
        do {
            // The type to decode determines the types of values, so the resolver needs no rules.
            node = try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        } catch {
            throw Self.syntaxError(error, text: text, fault)
        }
        switch node {
        case let node? where !node.isEmpty: root = node
        default:
            guard mayBeEmpty else {
                throw fault(1, 1, "the file is empty", "start with \(example)")
            }
            root = .mapping(Node.Mapping([]))
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

    /// Returns whether the first document is valid, which means that the error is in a later one.
    private static func isFirstDocumentSound(_ text: String) -> Bool {
        (try? Parser(yaml: text, resolver: .basic, encoding: .utf8).nextRoot()) != nil
    }

    private static func syntaxError(
        _ error: any Error, text: String, _ fault: (Int, Int, String, String) -> ConfigurationError
    ) -> ConfigurationError {
        let remedy = "check indentation, colons and quotes here and just above"
        guard let error = error as? YamlError else { return fault(1, 1, "not valid YAML", remedy) }
        switch error {
        case .composer(_, _, let mark, _) where isFirstDocumentSound(text):
            return fault(mark.line, mark.column, "a second document begins here", "keep only one")
        case .composer(_, let problem, let mark, _):
            return fault(mark.line, mark.column, problem, "write the value out")
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            let lines = text.split(separator: "\n", maxSplits: mark.line, omittingEmptySubsequences: false)
            let line = mark.line <= lines.count ? lines[mark.line - 1] : ""
            if line.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
                return fault(mark.line, mark.column, "not valid YAML: a tab in the indentation", "use spaces")
            }
            return fault(mark.line, mark.column, "not valid YAML: \(problem)", remedy)
        case .reader(_, let offset, _, let text):
            let before = text.prefix(offset ?? 0).unicodeScalars
            let line = before.count { $0 == "\n" } + 1
            let column = before.reversed().prefix { $0 != "\n" }.count + 1
            return fault(line, column, "a control character that YAML doesn't allow", "remove it")
        case .duplicatedKeysInMapping(let keys, let context):
            let key = keys.first ?? ""
            let second = DuplicateKey.place(of: key, after: context.mark, in: text)
            var result = fault(
                second.line, second.column, "written twice, first on line \(context.mark.line)", "keep only one")
            result.keyPath = Secrets.shown(key)
            return result
        case .no, .memory, .writer, .emitter, .representer, .dataCouldNotBeDecoded:
            return fault(1, 1, "not valid YAML", remedy)
        }
    }
}

extension Node {
    /// A Boolean value that indicates whether the node is empty or one of YAML's null values.
    var isEmpty: Bool {
        guard case .scalar(let scalar) = self, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }
}

/// Finds the second position of a duplicate key.
///
/// Yams reports only the first position.
private enum DuplicateKey {
    static func place(of key: String, after first: Mark, in text: String) -> (line: Int, column: Int) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { Array($0.unicodeScalars) }
        let key = Array(key.unicodeScalars)
        var nearest: (line: Int, column: Int)?
        for (index, line) in lines.enumerated().dropFirst(first.line - 1) {
            var column = index == first.line - 1 ? first.column + key.count : 1
            while column - 1 + key.count <= line.count {
                if isKey(key, at: column - 1, in: line) {
                    if index == first.line - 1 || column == first.column { return (index + 1, column) }
                    nearest = nearest ?? (index + 1, column)
                }
                column += 1
            }
        }
        return nearest ?? (first.line, first.column)
    }

    private static func isKey(_ key: [Unicode.Scalar], at start: Int, in line: [Unicode.Scalar]) -> Bool {
        guard line[start...].starts(with: key) else { return false }
        if start > 0, !" \t{,'\"-?".unicodeScalars.contains(line[start - 1]) { return false }
        let behind = line[(start + key.count)...].first { !" \t'\"".unicodeScalars.contains($0) }
        return behind == ":"
    }
}
