import BoundedJSON

extension StrictYAML {
    /// Returns a text with a changed value.
    ///
    /// Comments, blank lines, indentation and line breaks stay as they are. New keys and elements are written in the
    /// style of their surroundings.
    ///
    /// - Throws: ``YAMLEditError`` if the text can't be changed without affecting other values, for example because it
    ///   uses an alias there, or ``ConfigurationError`` if it isn't valid YAML.
    package static func edited(_ text: String, _ edits: [YAMLEdit], file: String) throws -> String {
        try edits.reduce(text) { try edited($0, $1, file: file) }
    }

    private static func edited(_ text: String, _ edit: YAMLEdit, file: String) throws -> String {
        let mark = "\u{FEFF}".unicodeScalars
        let isMarked = text.unicodeScalars.starts(with: mark)
        let body = isMarked ? String(text.unicodeScalars.dropFirst()) : text
        let root = try YAMLDocument(bytes: Array(body.utf8), file: file, mayBeEmpty: true).root
        var editor = YAMLEditor(text: body, root: root)
        let changed = try editor.edit(edit)
        // The result must have exactly the intended values, whatever the text looks like.
        guard let intended = EditedTree(root).edited(edit) else {
            throw YAMLEditError(line: root.mark.line, problem: "the value to change doesn't exist")
        }
        let isRight =
            (try? YAMLDocument(bytes: Array(changed.utf8), file: file, mayBeEmpty: true)).map {
                intended.matches($0.root)
            }
        guard isRight == true else {
            throw YAMLEditError(line: editor.line, problem: "the text here is written in an unusual way")
        }
        return isMarked ? "\u{FEFF}" + changed : changed
    }
}

/// Makes one edit of a text.
struct YAMLEditor {
    /// A node on the path to the edited value.
    private struct Place {
        let node: Node
        /// The node's key in a mapping.
        var key: Node?
        /// The node's index in a list or mapping.
        var index = 0
    }

    private let lines: TextLines
    private let root: Node
    private let isJSON: Bool
    private var splices: [(range: Range<Int>, text: String)] = []
    /// The line of the edit, counted from 1.
    private(set) var line = 1

    init(text: String, root: Node) {
        lines = TextLines(text)
        self.root = root
        isJSON = root.isFlow && root.pairs?.first?.key.scalar?.isPlain == false
    }

    mutating func edit(_ edit: YAMLEdit) throws(YAMLEditError) -> String {
        switch edit {
        case .set(let path, let value): try set(path, value)
        case .append(let path, let value): try append(path, value)
        case .remove(let path): try remove(path)
        }
        var scalars = lines.scalars
        for splice in splices.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            scalars.replaceSubrange(splice.range, with: splice.text.unicodeScalars)
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    // MARK: Edits

    private mutating func set(_ path: [YAMLEdit.Step], _ value: JSONValue) throws(YAMLEditError) {
        let (places, rest) = try resolve(path)
        guard let place = places.last else { return }
        guard let step = rest.first else { return try replace(place, with: value) }
        guard case .key(let name) = step else { throw failure("the list has fewer elements") }
        var inner = value
        for step in rest.dropFirst().reversed() {
            guard case .key(let name) = step else { throw failure("the list doesn't exist") }
            inner = .object([name: inner])
        }
        try insert(name, inner, into: places)
    }

    private mutating func append(_ path: [YAMLEdit.Step], _ value: JSONValue) throws(YAMLEditError) {
        let (places, rest) = try resolve(path)
        guard rest.isEmpty, let place = places.last else { return try set(path, .array([value])) }
        let parent = places.dropLast().last?.node
        switch place.node.content {
        case .sequence(let elements) where !elements.isEmpty && !place.node.isFlow:
            let column = place.node.mark.column - 1
            let last = lastLine(of: place.node)
            let text = item(value, indent: column)
            insertLines(
                separated(elements.map(\.mark.offset), before: text),
                after: lineAfterComments(last, of: column))
        case .sequence(let elements) where parent?.isFlow != false || !elements.isEmpty:
            insertInFlow(flow(value), into: place.node, elements.map(\.range))
        case .sequence: try insertBlock(item(value, indent: indent(below: place)), as: place)
        case .scalar where place.node.isEmpty && parent?.isFlow == false:
            try insertBlock(item(value, indent: indent(below: place)), as: place)
        case .scalar where place.node.isEmpty: replaceEmpty(place.node, with: flow(.array([value])))
        case .scalar, .mapping: throw failure("this isn't a list")
        }
    }

    private mutating func remove(_ path: [YAMLEdit.Step]) throws(YAMLEditError) {
        let (places, rest) = try resolve(path)
        guard rest.isEmpty, places.count > 1, let place = places.last, let parent = places.dropLast().last else {
            throw failure("the value to remove doesn't exist")
        }
        guard !place.node.containsShared, place.key?.isShared != true else { throw shared }
        let starts =
            parent.node.pairs?.map(\.key.range.lowerBound) ?? parent.node.sequence?.map(\.range.lowerBound) ?? []
        let ends =
            parent.node.pairs?.map(\.value.range.upperBound) ?? parent.node.sequence?.map(\.range.upperBound) ?? []
        if parent.node.isFlow {
            let index = place.index
            if index + 1 < starts.count {
                splices.append((starts[index]..<starts[index + 1], ""))
            } else if index > 0 {
                splices.append((ends[index - 1]..<ends[index], ""))
            } else {
                splices.append((parent.node.range.lowerBound + 1..<parent.node.range.upperBound - 1, ""))
            }
            return
        }
        if starts.count == 1, parent.key == nil, places.count > 2 {
            throw failure("this is the only value of a list's element")
        }
        let first = place.key.map { lines.line(of: $0.range.lowerBound) } ?? lineOfDash(place, in: parent.node)
        guard first > 0 || place.key != nil else { throw failure("the list's element doesn't begin with a dash") }
        let isFirstOfItem = place.key != nil && lines.indent(of: first) != (place.key?.mark.column ?? 0) - 1
        if isFirstOfItem { throw failure("this key follows the dash of a list's element") }
        var end = lines.next(after: lastLine(of: place.node))
        // Don't leave two blank lines where there was one on either side.
        var after = lines.line(of: end)
        if first > 0, lines.isBlank(first - 1) {
            while end < lines.scalars.count, lines.isBlank(after) {
                end = lines.next(after: after)
                after += 1
            }
        }
        splices.append((lines.start(of: first)..<end, ""))
        if starts.count == 1, let key = parent.key {
            try write(parent.node.sequence == nil ? " {}" : " []", afterColonOf: key)
        }
    }

    private mutating func replace(_ place: Place, with value: JSONValue) throws(YAMLEditError) {
        let node = place.node
        guard !node.containsShared else { throw shared }
        if node.isEmpty {
            replaceEmpty(node, with: flow(value))
        } else if node.isFlow {
            // Text in quotes stays in quotes.
            let isQuoted = node.scalar?.isPlain == false
            let text = if case .string = value, isQuoted { value.text } else { flow(value) }
            splices.append((node.range, text))
        } else if let key = place.key, node.scalar == nil {
            let first = lines.line(of: node.range.lowerBound)
            splices.append((lines.start(of: first)..<lines.next(after: lastLine(of: node)), ""))
            try write(" " + flow(value), afterColonOf: key)
        } else {
            throw failure("this value has several lines")
        }
    }

    private mutating func insert(
        _ name: String, _ value: JSONValue, into places: [Place]
    ) throws(YAMLEditError) {
        guard let place = places.last else { return }
        let isRoot = places.count == 1
        let parent = places.dropLast().last?.node
        let entry = "\(isJSON ? JSONValue.string(name).text : YAMLText.text(name)): \(flow(value))"
        switch place.node.content {
        case .mapping(let pairs) where pairs.isEmpty && isRoot && !place.node.isFlow:
            insertLines(section(name, value, indent: 0), after: endOfDocument)
        case .mapping(let pairs) where !pairs.isEmpty && !place.node.isFlow:
            let column = place.node.mark.column - 1
            var text = isRoot ? section(name, value, indent: column) : [margin(column) + entry]
            if isRoot {
                let last = endOfDocument
                if !lines.isBlank(last), pairs.count > 1 { text.insert("", at: 0) }
                return insertLines(text, after: last)
            }
            insertLines(text, after: lineAfterComments(lastLine(of: place.node), of: column))
        case .mapping(let pairs) where isRoot || parent?.isFlow == true || !pairs.isEmpty:
            insertInFlow(
                entry, into: place.node, pairs.map { $0.key.range.lowerBound..<$0.value.range.upperBound })
        case .mapping: try insertBlock([margin(indent(below: place)) + entry], as: place)
        case .scalar where place.node.isEmpty && parent?.isFlow == false && place.key != nil:
            try insertBlock([margin(indent(below: place)) + entry], as: place)
        case .scalar where place.node.isEmpty: replaceEmpty(place.node, with: "{\(entry)}")
        case .scalar, .sequence: throw failure("this has no keys")
        }
    }

    // MARK: Places

    /// Returns the existing nodes on a path, and the remaining steps.
    private mutating func resolve(_ path: [YAMLEdit.Step]) throws(YAMLEditError) -> ([Place], ArraySlice<YAMLEdit.Step>)
    {
        var places = [Place(node: root)]
        for (count, step) in path.enumerated() {
            let node = places[count].node
            line = node.mark.line
            guard !node.isShared else { throw shared }
            switch (node.content, step) {
            case (.mapping(let pairs), .key(let name)):
                guard let index = pairs.firstIndex(where: { $0.key.scalar?.string == name }) else {
                    return (places, path[count...])
                }
                places.append(Place(node: pairs[index].value, key: pairs[index].key, index: index))
            case (.sequence(let elements), .index(let index)) where elements.indices.contains(index):
                places.append(Place(node: elements[index], index: index))
            default: return (places, path[count...])
            }
        }
        let last = places[places.count - 1].node
        line = last.mark.line
        guard !last.isShared else { throw shared }
        return (places, [])
    }

    /// The last line before the end of the document, counted from 0.
    private var endOfDocument: Int {
        let last = root.pairs?.isEmpty == false ? lastLine(of: root) : -1
        let marker = (last + 1..<lines.count).first { lines[$0].starts(with: "...".unicodeScalars) }
        var end = (marker ?? lines.count) - 1
        // A text that ends with a line break has an empty last line.
        if marker == nil, end > last, lines[end].isEmpty, end > 0 { end -= 1 }
        return end
    }

    private func lastLine(of node: Node) -> Int {
        var end = node.range.upperBound
        while end > node.range.lowerBound, TextLines.isSpace(lines.scalars[end - 1]) || lines.scalars[end - 1] == "\n" {
            end -= 1
        }
        return lines.line(of: max(node.range.lowerBound, end - 1))
    }

    /// Returns the line of the dash before a list's element; 0 if it isn't found.
    private func lineOfDash(_ place: Place, in list: Node) -> Int {
        let column = list.mark.column - 1
        var line = lines.line(of: place.node.range.lowerBound)
        let first = lines.line(of: list.range.lowerBound)
        while line >= first {
            let text = lines[line]
            if lines.indent(of: line) == column, text.dropFirst(column).first == "-" { return line }
            line -= 1
        }
        return 0
    }

    /// Returns the last line of the comments that follow a line and belong to the same block.
    ///
    /// Comments directly before another key belong to that key, unless they are indented like the block.
    private func lineAfterComments(_ line: Int, of column: Int) -> Int {
        var end = line + 1
        while end < lines.count, lines.isComment(end) { end += 1 }
        guard end < lines.count, !lines.isBlank(end) else { return end - 1 }
        var last = line
        while last + 1 < end, lines.indent(of: last + 1) >= column, lines.indent(of: last + 1) > lines.indent(of: end) {
            last += 1
        }
        return last
    }

    /// The column of a block that is the value of a key.
    private func indent(below place: Place) -> Int {
        let column = (place.key?.mark.column ?? 1) - 1
        return column + indentWidth
    }

    /// The number of columns by which the text indents blocks.
    private var indentWidth: Int {
        for (key, value) in root.pairs ?? [] where !value.isFlow && value.scalar == nil {
            let width = value.mark.column - key.mark.column
            if width > 0 { return width }
        }
        return 2
    }

    // MARK: Text

    private func margin(_ count: Int) -> String { String(repeating: " ", count: count) }
    private func flow(_ value: JSONValue) -> String { isJSON ? value.text : YAMLText.text(value) }

    private func item(_ value: JSONValue, indent: Int) -> [String] {
        if case .object(let object) = value, !object.isEmpty {
            return YAMLText.lines(of: object, isItem: true, indent: indent)
        }
        return ["\(margin(indent))- \(flow(value))"]
    }

    /// Returns the lines of a key at the top level, whose value is a block.
    private func section(_ name: String, _ value: JSONValue, indent: Int) -> [String] {
        let key = margin(indent) + YAMLText.text(name) + ":"
        switch value {
        case .object(let object) where !object.isEmpty:
            return [key] + YAMLText.lines(of: object, isItem: false, indent: indent + indentWidth)
        case .array(let elements) where elements.contains { $0.object != nil }:
            return [key] + elements.flatMap { item($0, indent: indent + indentWidth) }
        default: return ["\(key) \(flow(value))"]
        }
    }

    /// Returns the lines of a new element, after a blank line if one separates the existing elements.
    private func separated(_ starts: [Int], before text: [String]) -> [String] {
        guard starts.count > 1, let last = starts.last else { return text }
        var line = lines.line(of: last) - 1
        while line > 0, lines.isComment(line) { line -= 1 }
        return line > 0 && lines.isBlank(line) ? [""] + text : text
    }

    private mutating func insertLines(_ text: [String], after line: Int) {
        guard line >= 0, !lines.scalars.isEmpty else {
            return splices.append((0..<0, text.map { $0 + lines.lineBreak }.joined()))
        }
        let end = lines.end(of: line)
        if lines.next(after: line) == end {
            splices.append((end..<end, text.map { lines.lineBreak + $0 }.joined() + lines.lineBreak))
        } else {
            let next = lines.next(after: line)
            splices.append((next..<next, text.map { $0 + lines.lineBreak }.joined()))
        }
    }

    /// Writes a block instead of an empty value.
    private mutating func insertBlock(_ text: [String], as place: Place) throws(YAMLEditError) {
        guard place.key != nil else { throw failure("this list is part of another one") }
        let first = lines.line(of: place.node.range.lowerBound)
        guard first == lastLine(of: place.node) else { throw failure("the empty value has several lines") }
        if !place.node.range.isEmpty {
            var start = place.node.range.lowerBound
            while start > 0, TextLines.isSpace(lines.scalars[start - 1]) { start -= 1 }
            splices.append((start..<place.node.range.upperBound, ""))
        }
        insertLines(text, after: first)
    }

    private mutating func replaceEmpty(_ node: Node, with text: String) {
        splices.append((node.range, node.range.isEmpty ? " " + text : text))
    }

    private mutating func insertInFlow(_ text: String, into node: Node, _ children: [Range<Int>]) {
        guard let last = children.last else {
            let start = node.range.lowerBound + 1
            return splices.append((start..<start, text))
        }
        let line = lines.line(of: last.lowerBound)
        let end = lines.line(of: max(last.lowerBound, last.upperBound - 1))
        guard line != lines.line(of: node.range.lowerBound), end != lines.line(of: node.range.upperBound - 1) else {
            return splices.append((last.upperBound..<last.upperBound, ", " + text))
        }
        // The elements are on separate lines.
        var next = last.upperBound
        while TextLines.isSpace(lines.scalars[next]) { next += 1 }
        let hasComma = lines.scalars[next] == ","
        let place = lines.end(of: end)
        let element = lines.lineBreak + margin(lines.indent(of: line)) + text
        if hasComma {
            splices.append((place..<place, element + ","))
        } else if place == last.upperBound {
            splices.append((place..<place, "," + element))
        } else {
            splices += [(last.upperBound..<last.upperBound, ","), (place..<place, element)]
        }
    }

    private mutating func write(_ text: String, afterColonOf key: Node) throws(YAMLEditError) {
        var colon = key.range.upperBound
        while colon < lines.scalars.count, TextLines.isSpace(lines.scalars[colon]) { colon += 1 }
        guard colon < lines.scalars.count, lines.scalars[colon] == ":" else { throw failure("the key has no colon") }
        splices.append((colon + 1..<colon + 1, text))
    }

    // MARK: Errors

    private func failure(_ problem: String) -> YAMLEditError { YAMLEditError(line: line, problem: problem) }
    private var shared: YAMLEditError {
        failure("an anchor (&) or an alias (*) here also affects other values")
    }
}

extension Node {
    fileprivate var pairs: [(key: Node, value: Node)]? {
        if case .mapping(let pairs) = content { pairs } else { nil }
    }

    /// A Boolean value that indicates whether the node or a node in it is an alias or has an anchor.
    fileprivate var containsShared: Bool {
        if isShared { return true }
        switch content {
        case .scalar: return false
        case .sequence(let elements): return elements.contains(where: \.containsShared)
        case .mapping(let pairs): return pairs.contains { $0.key.isShared || $0.value.containsShared }
        }
    }
}
