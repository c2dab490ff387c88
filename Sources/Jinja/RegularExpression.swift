/// A regular expression in the syntax of Python's `re` module, over Unicode scalars.
///
/// It is compiled to a small program that tries alternatives in order, as Python does. The caller limits the number of
/// steps, so that no expression or input can make it run for a long time. Possessive quantifiers, atomic groups,
/// conditions, and the flags `x`, `L` and `u` aren't supported.
struct RegularExpression {
    /// The maximum number of instructions of a program.
    ///
    /// Counted repetitions contribute a copy for each iteration.
    static let longestProgram = 4_000
    private static let deepest = 32
    /// The maximum number of pending alternatives.
    private static let longestStack = 200_000

    /// The ranges of the whole match and of each group, in scalars.
    ///
    /// The range is `nil` for a group that isn't part of the match.
    typealias Groups = [Range<Int>?]

    fileprivate enum Instruction {
        case scalar(ScalarSet)
        case assertion(Assertion)
        /// Tries the next instruction first and then the given instruction, or the other way around.
        case split(otherwise: Int, prefersOther: Bool)
        case jump(Int)
        /// Stores the position as the start or the end of a group.
        case save(Int)
        /// Stores the position at which an iteration of a loop begins.
        case mark(Int)
        /// Leaves a loop whose iteration was empty.
        case leaveIfEmpty(Int, exit: Int)
        case backreference(Int, ignoresCase: Bool)
        /// Looks ahead, or looks behind by a number of scalars. The instructions of the body follow, and the program
        /// continues at `next`.
        case look(behind: Int?, isNegated: Bool, next: Int)
        case end
    }

    fileprivate enum Assertion {
        case start, end, lineStart, lineEnd, endOrLastLine, boundary, noBoundary
    }

    /// The number of groups, not counting the whole match.
    let groupCount: Int
    let groupNames: [String: Int]
    private let program: [Instruction]
    private let marks: Int

    /// Compiles an expression.
    ///
    /// - Throws: ``JinjaError`` if it is invalid, unsupported or too large.
    init(_ pattern: String, ignoresCase: Bool = false) throws(JinjaError) {
        var parser = Parser(Array(pattern.unicodeScalars), ignoresCase)
        let node = try parser.whole()
        var compiler = Compiler()
        try compiler.add(.group(node, 0))
        try compiler.append(.end)
        (program, marks) = (compiler.program, compiler.marks)
        (groupCount, groupNames) = (parser.groups, parser.names)
    }

    // MARK: Matching

    /// Returns the first match at or after a position, or `nil` if nothing matches or no steps are left.
    ///
    /// - Parameters:
    ///   - text: The text, as scalars.
    ///   - start: The position from which to search.
    ///   - isAnchored: Whether the match must begin at `start`.
    ///   - mustAdvance: Whether an empty match at `start` doesn't count.
    ///   - steps: The number of remaining steps, which is reduced.
    /// - Returns: The ranges of the match and its groups.
    func match(
        in text: [Unicode.Scalar], from start: Int, isAnchored: Bool = false, mustAdvance: Bool = false,
        steps: inout Int
    ) -> Groups? {
        var machine = Machine(program, text, groups: groupCount + 1, marks: marks)
        var position = start
        while position <= text.count {
            let forbidden = mustAdvance && position == start ? position : nil
            if machine.run(from: 0, at: position, forbiddenEnd: forbidden, &steps) != nil { return machine.groups }
            guard !isAnchored, steps > 0 else { return nil }
            machine.reset()
            position += 1
        }
        return nil
    }

    private struct Machine {
        private enum Entry {
            case alternative(pc: Int, position: Int)
            case slot(Int, Int)
            case mark(Int, Int)
        }

        private let program: [Instruction]
        private let text: [Unicode.Scalar]
        private var slots: [Int]
        private var marks: [Int]
        private var stack: [Entry] = []

        init(_ program: [Instruction], _ text: [Unicode.Scalar], groups: Int, marks: Int) {
            self.program = program
            self.text = text
            slots = Array(repeating: -1, count: groups * 2)
            self.marks = Array(repeating: -1, count: marks)
        }

        var groups: Groups {
            stride(from: 0, to: slots.count, by: 2).map { index in
                slots[index] >= 0 && slots[index + 1] >= slots[index] ? slots[index]..<slots[index + 1] : nil
            }
        }

        mutating func reset() {
            stack.removeAll(keepingCapacity: true)
            for index in slots.indices { slots[index] = -1 }
        }

        /// Runs the program, and returns the position at the end of the match, or `nil` if nothing matches.
        mutating func run(from first: Int, at begin: Int, forbiddenEnd: Int?, _ steps: inout Int) -> Int? {
            let base = stack.count
            var (pc, position) = (first, begin)
            while true {
                guard steps > 0, stack.count < longestStack else {
                    steps = 0
                    return nil
                }
                steps -= 1
                var matches = true
                switch program[pc] {
                case .scalar(let set):
                    matches = position < text.count && set.contains(text[position])
                    (pc, position) = (pc + 1, position + 1)
                case .assertion(let assertion):
                    matches = holds(assertion, position)
                    pc += 1
                case .split(let other, let prefersOther):
                    stack.append(.alternative(pc: prefersOther ? pc + 1 : other, position: position))
                    pc = prefersOther ? other : pc + 1
                case .jump(let target): pc = target
                case .save(let slot):
                    stack.append(.slot(slot, slots[slot]))
                    slots[slot] = position
                    pc += 1
                case .mark(let mark):
                    stack.append(.mark(mark, marks[mark]))
                    marks[mark] = position
                    pc += 1
                case .leaveIfEmpty(let mark, let exit): pc = marks[mark] == position ? exit : pc + 1
                case .backreference(let group, let ignoresCase):
                    let length = compare(group, at: position, ignoresCase)
                    steps -= length ?? 0
                    matches = length != nil
                    (pc, position) = (pc + 1, position + (length ?? 0))
                case .look(let width, let isNegated, let next):
                    let height = stack.count
                    let from = position - (width ?? 0)
                    let found = from >= 0 && run(from: pc + 1, at: from, forbiddenEnd: nil, &steps) != nil
                    guard steps > 0 else { return nil }
                    // Keep the groups that a successful lookaround has matched, but discard its remaining alternatives.
                    if found, !isNegated { keepNotes(above: height) } else { undo(to: height) }
                    matches = found != isNegated
                    pc = next
                case .end:
                    if position != forbiddenEnd { return position }
                    matches = false
                }
                guard !matches else { continue }
                guard let (otherPC, otherPosition) = backtrack(to: base) else { return nil }
                (pc, position) = (otherPC, otherPosition)
            }
        }

        private mutating func backtrack(to base: Int) -> (Int, Int)? {
            while stack.count > base, let entry = stack.popLast() {
                switch entry {
                case .alternative(let pc, let position): return (pc, position)
                case .slot(let slot, let value): slots[slot] = value
                case .mark(let mark, let value): marks[mark] = value
                }
            }
            return nil
        }

        private mutating func undo(to height: Int) { while backtrack(to: height) != nil {} }

        private mutating func keepNotes(above height: Int) {
            let kept = stack[height...].filter { if case .alternative = $0 { false } else { true } }
            stack.replaceSubrange(height..., with: kept)
        }

        private func holds(_ assertion: Assertion, _ position: Int) -> Bool {
            switch assertion {
            case .start: return position == 0
            case .end: return position == text.count
            case .endOrLastLine:
                return position == text.count || (position == text.count - 1 && text[position] == "\n")
            case .lineStart: return position == 0 || text[position - 1] == "\n"
            case .lineEnd: return position == text.count || text[position] == "\n"
            case .boundary, .noBoundary:
                let before = position > 0 && ScalarSet.isWord(text[position - 1])
                let after = position < text.count && ScalarSet.isWord(text[position])
                return (before != after) == (assertion == .boundary)
            }
        }

        /// Returns the length of a group's match if the same text occurs at a position, otherwise `nil`.
        private func compare(_ group: Int, at position: Int, _ ignoresCase: Bool) -> Int? {
            guard let range = groups(group), position + range.count <= text.count else { return nil }
            for offset in 0..<range.count {
                let (a, b) = (text[range.lowerBound + offset], text[position + offset])
                guard a == b || (ignoresCase && a.properties.lowercaseMapping == b.properties.lowercaseMapping) else {
                    return nil
                }
            }
            return range.count
        }

        private func groups(_ group: Int) -> Range<Int>? {
            let (low, high) = (slots[group * 2], slots[group * 2 + 1])
            return low >= 0 && high >= low ? low..<high : nil
        }
    }

    // MARK: Compiling

    fileprivate indirect enum Node {
        case scalar(ScalarSet)
        case assertion(Assertion)
        case sequence([Node])
        case alternatives([Node])
        case group(Node, Int)
        case repetition(Node, Int, Int?, isLazy: Bool)
        case backreference(Int, ignoresCase: Bool)
        case look(Node, isBehind: Bool, isNegated: Bool)

        /// The number of scalars that the node matches, or `nil` if it varies.
        var width: Int? {
            switch self {
            case .scalar: return 1
            case .assertion, .look: return 0
            case .group(let node, _): return node.width
            case .backreference: return nil
            case .sequence(let nodes):
                var sum = 0
                for node in nodes {
                    guard let width = node.width else { return nil }
                    sum += width
                }
                return sum
            case .alternatives(let nodes):
                guard let first = nodes.first?.width, nodes.allSatisfy({ $0.width == first }) else { return nil }
                return first
            case .repetition(let node, let low, let high, _):
                guard low == high, let width = node.width else { return nil }
                return width.multipliedReportingOverflow(by: low).overflow ? nil : width * low
            }
        }
    }

    private struct Compiler {
        var program: [Instruction] = []
        var marks = 0

        mutating func append(_ instruction: Instruction) throws(JinjaError) {
            guard program.count < longestProgram else { throw JinjaError("a regular expression is too large") }
            program.append(instruction)
        }

        mutating func add(_ node: Node) throws(JinjaError) {
            switch node {
            case .scalar(let set): try append(.scalar(set))
            case .assertion(let assertion): try append(.assertion(assertion))
            case .sequence(let nodes): for node in nodes { try add(node) }
            case .alternatives(let nodes): try add(alternatives: nodes)
            case .group(let node, let group):
                try append(.save(group * 2))
                try add(node)
                try append(.save(group * 2 + 1))
            case .repetition(let node, let low, let high, let isLazy):
                for _ in 0..<low { try add(node) }
                try add(optional: node, (high.map { $0 - low }), isLazy)
            case .backreference(let group, let ignoresCase):
                try append(.backreference(group, ignoresCase: ignoresCase))
            case .look(let node, let isBehind, let isNegated):
                guard !isBehind || node.width != nil else {
                    throw JinjaError("a regular expression has a lookbehind of variable width")
                }
                let place = program.count
                try append(.end)
                try add(node)
                try append(.end)
                program[place] = .look(
                    behind: isBehind ? node.width : nil, isNegated: isNegated, next: program.count)
            }
        }

        private mutating func add(alternatives nodes: [Node]) throws(JinjaError) {
            var ends: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try add(node)
                    break
                }
                let split = program.count
                try append(.end)
                try add(node)
                ends.append(program.count)
                try append(.end)
                program[split] = .split(otherwise: program.count, prefersOther: false)
            }
            for end in ends { program[end] = .jump(program.count) }
        }

        /// Adds at most the given number of optional iterations, or any number if the count is `nil`.
        private mutating func add(optional node: Node, _ count: Int?, _ isLazy: Bool) throws(JinjaError) {
            guard let count else {
                let split = program.count
                try append(.end)
                // An iteration that matches nothing could be repeated forever, so check for it.
                let canBeEmpty = node.width.map { $0 == 0 } ?? true
                let mark = marks
                if canBeEmpty {
                    marks += 1
                    try append(.mark(mark))
                }
                try add(node)
                let check = program.count
                if canBeEmpty { try append(.end) }
                try append(.jump(split))
                program[split] = .split(otherwise: program.count, prefersOther: isLazy)
                if canBeEmpty { program[check] = .leaveIfEmpty(mark, exit: program.count) }
                return
            }
            var splits: [Int] = []
            for _ in 0..<count {
                splits.append(program.count)
                try append(.end)
                try add(node)
            }
            for split in splits { program[split] = .split(otherwise: program.count, prefersOther: isLazy) }
        }
    }

    // MARK: Parsing

    private struct Parser {
        private let pattern: [Unicode.Scalar]
        private var index = 0
        private var depth = 0
        private var ignoresCase: Bool
        private var dotMatchesLines = false
        private var isMultiline = false
        private(set) var groups = 0
        private(set) var names: [String: Int] = [:]
        private var closed: Set<Int> = []

        init(_ pattern: [Unicode.Scalar], _ ignoresCase: Bool) {
            self.pattern = pattern
            self.ignoresCase = ignoresCase
        }

        private var next: Unicode.Scalar? { index < pattern.count ? pattern[index] : nil }

        private mutating func take() -> Unicode.Scalar? {
            defer { index += 1 }
            return next
        }

        private mutating func take(_ text: String) -> Bool {
            let scalars = Array(text.unicodeScalars)
            guard pattern[min(index, pattern.count)...].starts(with: scalars) else { return false }
            index += scalars.count
            return true
        }

        private static func invalid(_ reason: String) -> JinjaError {
            JinjaError("a regular expression isn't valid: \(reason)")
        }

        private static func unsupported(_ what: String) -> JinjaError {
            JinjaError("regular expressions with \(what) aren't supported")
        }

        mutating func whole() throws(JinjaError) -> Node {
            let node = try alternatives()
            guard next == nil else { throw Self.invalid("unbalanced parenthesis") }
            return node
        }

        private mutating func alternatives() throws(JinjaError) -> Node {
            depth += 1
            defer { depth -= 1 }
            guard depth <= deepest else { throw JinjaError("a regular expression is nested too deeply") }
            var nodes = [try sequence()]
            while take("|") { nodes.append(try sequence()) }
            return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
        }

        private mutating func sequence() throws(JinjaError) -> Node {
            var nodes: [Node] = []
            while let scalar = next, scalar != "|", scalar != ")" {
                guard let atom = try atom() else { continue }
                nodes.append(try quantified(atom))
            }
            return .sequence(nodes)
        }

        private mutating func quantified(_ atom: Node) throws(JinjaError) -> Node {
            guard let (low, high) = try quantifier() else { return atom }
            if case .assertion = atom { throw Self.invalid("nothing to repeat") }
            let isLazy = take("?")
            if !isLazy, take("+") { throw Self.unsupported("possessive quantifiers") }
            let start = index
            if try quantifier() != nil { throw Self.invalid("multiple repeat") }
            index = start
            return .repetition(atom, low, high, isLazy: isLazy)
        }

        private mutating func quantifier() throws(JinjaError) -> (Int, Int?)? {
            if take("*") { return (0, nil) }
            if take("+") { return (1, nil) }
            if take("?") { return (0, 1) }
            let start = index
            guard take("{") else { return nil }
            let low = try number()
            var high = low
            if take(",") { high = try number() } else if low == nil { high = nil }
            // If this isn't a valid quantifier, the brace is a literal character.
            guard take("}"), index - start > 2, pattern[start + 1] != "}" else {
                index = start
                return nil
            }
            if let low, let high, high < low { throw Self.invalid("min repeat greater than max repeat") }
            return (low ?? 0, high)
        }

        private mutating func number() throws(JinjaError) -> Int? {
            var value: Int?
            while let scalar = next, ("0"..."9").contains(scalar) {
                value = (value ?? 0) * 10 + Int(scalar.value - 48)
                guard value ?? 0 <= longestProgram else { throw JinjaError("a regular expression is too large") }
                index += 1
            }
            return value
        }

        /// Parses an atom.
        ///
        /// - Returns: The atom, or `nil` for flags and comments, which match nothing.
        private mutating func atom() throws(JinjaError) -> Node? {
            guard let scalar = take() else { return nil }
            switch scalar {
            case ".": return .scalar(dotMatchesLines ? .all : .notNewline)
            case "^": return .assertion(isMultiline ? .lineStart : .start)
            case "$": return .assertion(isMultiline ? .lineEnd : .endOrLastLine)
            case "(": return try group()
            case "[": return .scalar(try set())
            case "\\": return try escape()
            case "*", "+", "?": throw Self.invalid("nothing to repeat")
            default: return .scalar(ScalarSet(scalar, ignoresCase))
            }
        }

        private mutating func group() throws(JinjaError) -> Node? {
            guard take("?") else { return try capture(nil) }
            if take(":") { return try closed(try alternatives()) }
            if take("=") { return .look(try closed(try alternatives()), isBehind: false, isNegated: false) }
            if take("!") { return .look(try closed(try alternatives()), isBehind: false, isNegated: true) }
            if take("<=") { return .look(try closed(try alternatives()), isBehind: true, isNegated: false) }
            if take("<!") { return .look(try closed(try alternatives()), isBehind: true, isNegated: true) }
            if take("P<") {
                let name = try name(until: ">")
                guard names[name] == nil else { throw Self.invalid("a group name is used twice") }
                return try capture(name)
            }
            if take("P=") {
                guard let group = names[try name(until: ")")], closed.contains(group) else {
                    throw Self.invalid("unknown group")
                }
                return .backreference(group, ignoresCase: ignoresCase)
            }
            if take("#") {
                while let scalar = take() { if scalar == ")" { return nil } }
                throw Self.invalid("missing )")
            }
            if take(">") { throw Self.unsupported("atomic groups") }
            if take("(") { throw Self.unsupported("conditions") }
            return try flags()
        }

        private mutating func capture(_ name: String?) throws(JinjaError) -> Node {
            groups += 1
            guard groups <= 100 else { throw JinjaError("a regular expression has more than 100 groups") }
            let number = groups
            if let name { names[name] = number }
            let node = try closed(try alternatives())
            closed.insert(number)
            return .group(node, number)
        }

        private mutating func closed(_ node: Node) throws(JinjaError) -> Node {
            guard take(")") else { throw Self.invalid("missing )") }
            return node
        }

        private mutating func name(until end: Unicode.Scalar) throws(JinjaError) -> String {
            var name = String.UnicodeScalarView()
            while let scalar = take(), scalar != end { name.append(scalar) }
            guard pattern.indices.contains(index - 1), pattern[index - 1] == end, let first = name.first,
                !("0"..."9").contains(first), name.allSatisfy(ScalarSet.isWord)
            else { throw Self.invalid("bad group name") }
            return String(name)
        }

        private mutating func flags() throws(JinjaError) -> Node? {
            let start = index
            let before = (ignoresCase, dotMatchesLines, isMultiline)
            var isOff = false
            while let scalar = take() {
                switch scalar {
                case "i": ignoresCase = !isOff
                case "s": dotMatchesLines = !isOff
                case "m": isMultiline = !isOff
                case "a": break
                case "-": isOff = true
                case ":":
                    let node = try closed(try alternatives())
                    (ignoresCase, dotMatchesLines, isMultiline) = before
                    return node
                case ")":
                    // Python allows global flags only at the beginning.
                    guard start == 2, !isOff else { throw Self.invalid("global flags not at the start") }
                    return nil
                default: throw Self.unsupported("the flag \(scalar)")
                }
            }
            throw Self.invalid("missing )")
        }

        private mutating func escape() throws(JinjaError) -> Node {
            guard let scalar = take() else { throw Self.invalid("bad escape at the end") }
            switch scalar {
            case "A": return .assertion(.start)
            case "Z": return .assertion(.end)
            case "b": return .assertion(.boundary)
            case "B": return .assertion(.noBoundary)
            case "1"..."9":
                index -= 1
                let group = try number() ?? 0
                guard closed.contains(group) else { throw Self.invalid("invalid group reference") }
                return .backreference(group, ignoresCase: ignoresCase)
            default:
                if let kind = ScalarSet.Kind(scalar) { return .scalar(ScalarSet(kind)) }
                return .scalar(ScalarSet(try literal(scalar), ignoresCase))
            }
        }

        /// Returns the scalar that an escape stands for.
        ///
        /// The backslash and `scalar` have already been consumed.
        private mutating func literal(_ scalar: Unicode.Scalar) throws(JinjaError) -> Unicode.Scalar {
            switch scalar {
            case "n": return "\n"
            case "t": return "\t"
            case "r": return "\r"
            case "f": return "\u{C}"
            case "v": return "\u{B}"
            case "a": return "\u{7}"
            case "0": return "\u{0}"
            case "x": return try hexadecimal(2)
            case "u": return try hexadecimal(4)
            case "a"..."z", "A"..."Z", "1"..."9": throw Self.invalid("bad escape \\\(scalar)")
            default: return scalar
            }
        }

        private mutating func hexadecimal(_ count: Int) throws(JinjaError) -> Unicode.Scalar {
            let digits = pattern[min(index, pattern.count)...].prefix(count)
            index += count
            guard digits.count == count, digits.allSatisfy(\.properties.isASCIIHexDigit),
                let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16),
                let scalar = Unicode.Scalar(value)
            else { throw Self.invalid("bad escape") }
            return scalar
        }

        private mutating func set() throws(JinjaError) -> ScalarSet {
            var set = ScalarSet(isNegated: take("^"), ignoresCase: ignoresCase)
            var isFirst = true
            while let scalar = take() {
                if scalar == "]", !isFirst { return set }
                isFirst = false
                guard let low = try member(scalar, &set) else { continue }
                guard next == "-", index + 1 < pattern.count, pattern[index + 1] != "]" else {
                    set.ranges.append(low.value...low.value)
                    continue
                }
                index += 1
                guard let end = take(), let high = try member(end, &set), low.value <= high.value else {
                    throw Self.invalid("bad character range")
                }
                set.ranges.append(low.value...high.value)
            }
            throw Self.invalid("unterminated character set")
        }

        /// Reads the next member of a set and returns its scalar.
        ///
        /// A class such as `\d` is added to the set, and the result is `nil`.
        private mutating func member(
            _ scalar: Unicode.Scalar, _ set: inout ScalarSet
        ) throws(JinjaError) -> Unicode.Scalar? {
            guard scalar == "\\" else { return scalar }
            guard let escaped = take() else { throw Self.invalid("bad escape at the end") }
            if escaped == "b" { return "\u{8}" }
            guard let kind = ScalarSet.Kind(escaped) else { return try literal(escaped) }
            set.kinds.append(kind)
            return nil
        }
    }
}

/// A set of Unicode scalars in a regular expression.
private struct ScalarSet {
    /// A class of scalars, such as `\d`.
    ///
    /// Capital letters stand for negated classes.
    enum Kind {
        case digit, noDigit, space, noSpace, word, noWord

        init?(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "d": self = .digit
            case "D": self = .noDigit
            case "s": self = .space
            case "S": self = .noSpace
            case "w": self = .word
            case "W": self = .noWord
            default: return nil
            }
        }

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .digit: scalar.properties.generalCategory == .decimalNumber
            case .noDigit: scalar.properties.generalCategory != .decimalNumber
            case .space: scalar.properties.isWhitespace
            case .noSpace: !scalar.properties.isWhitespace
            case .word: ScalarSet.isWord(scalar)
            case .noWord: !ScalarSet.isWord(scalar)
            }
        }
    }

    var ranges: [ClosedRange<UInt32>] = []
    var kinds: [Kind] = []
    private let isNegated: Bool
    private let ignoresCase: Bool

    static let all = ScalarSet(isNegated: true, ignoresCase: false)
    static let notNewline: ScalarSet = {
        var set = all
        set.ranges = [10...10]
        return set
    }()

    init(isNegated: Bool, ignoresCase: Bool) {
        self.isNegated = isNegated
        self.ignoresCase = ignoresCase
    }

    init(_ scalar: Unicode.Scalar, _ ignoresCase: Bool) {
        self.init(isNegated: false, ignoresCase: ignoresCase)
        ranges = [scalar.value...scalar.value]
    }

    init(_ kind: Kind) {
        self.init(isNegated: false, ignoresCase: false)
        kinds = [kind]
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        var isIn = has(scalar)
        if !isIn, ignoresCase {
            let properties = scalar.properties
            for variant in [properties.lowercaseMapping, properties.uppercaseMapping] {
                let scalars = variant.unicodeScalars
                if scalars.count == 1, let first = scalars.first, first != scalar { isIn = isIn || has(first) }
            }
        }
        return isIn != isNegated
    }

    private func has(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } || kinds.contains { $0.contains(scalar) }
    }

    /// Returns whether a scalar is a letter, a number or an underscore.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: scalar == "_"
        }
    }
}
