/// The lines of a text, as offsets in Unicode scalars.
struct TextLines {
    let scalars: [Unicode.Scalar]
    /// The lines without their line breaks.
    private let ranges: [Range<Int>]
    /// The line break that the text uses.
    let lineBreak: String

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var ranges: [Range<Int>] = []
        var start = 0
        var isWindows = false
        for (index, scalar) in scalars.enumerated() where scalar == "\n" {
            let hasReturn = index > start && scalars[index - 1] == "\r"
            isWindows = isWindows || hasReturn
            ranges.append(start..<(hasReturn ? index - 1 : index))
            start = index + 1
        }
        ranges.append(start..<scalars.count)
        self.ranges = ranges
        lineBreak = isWindows ? "\r\n" : "\n"
    }

    var count: Int { ranges.count }

    subscript(line: Int) -> ArraySlice<Unicode.Scalar> { scalars[ranges[line]] }

    /// Returns the line, counted from 0, that contains an offset.
    func line(of offset: Int) -> Int {
        var (low, high) = (0, ranges.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if ranges[middle].lowerBound <= offset { low = middle } else { high = middle - 1 }
        }
        return low
    }

    func start(of line: Int) -> Int { ranges[line].lowerBound }
    /// The offset of a line's line break.
    func end(of line: Int) -> Int { ranges[line].upperBound }
    /// The offset of the next line, or of the end of the text.
    func next(after line: Int) -> Int { line + 1 < ranges.count ? ranges[line + 1].lowerBound : scalars.count }

    func indent(of line: Int) -> Int { self[line].prefix { $0 == " " }.count }
    func isBlank(_ line: Int) -> Bool { self[line].allSatisfy(Self.isSpace) }
    func isComment(_ line: Int) -> Bool { self[line].first { !Self.isSpace($0) } == "#" }

    static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }
}
