import HAPModel
import HomeModel
import HomePresentation
import Texts

/// A graph of a characteristic's past values, as a picture for a page.
///
/// Measurements are connected by lines. Other values hold until the next value, so they form steps.
struct Graph {
    /// A value, with its time as a share of the period.
    private struct Point {
        var x: Double
        var y: Double
        var value: CharacteristicValue
    }

    private static let (width, height) = (640.0, 180.0)
    /// The margins for the labels.
    private static let (left, top, bottom) = (8.0, 24.0, 24.0)
    /// The maximum number of intervals, each with one value.
    static let intervals = 320

    let characteristic: Characteristic
    let span: Span
    let end: Timestamp
    private let points: [Point]
    /// The points with the smallest and the largest value.
    private let ends: (low: Point, high: Point)?
    private let time: HomeTime

    /// Creates a graph of the entries in the period of `span` before `end`, oldest first.
    ///
    /// An entry from before the period is drawn at its start.
    init(_ entries: [HistoryEntry], of characteristic: Characteristic, span: Span, end: Timestamp, time: HomeTime) {
        (self.characteristic, self.span, self.end, self.time) = (characteristic, span, end, time)
        let start = end.millisecondsSince1970 - span.milliseconds
        points = entries.compactMap { entry in
            guard let number = entry.value.bool.map({ $0 ? 1 : 0 }) ?? entry.value.number, number.isFinite else {
                return nil
            }
            let share = Double(entry.time.millisecondsSince1970 - start) / Double(span.milliseconds)
            return Point(x: min(max(share, 0), 1), y: number, value: entry.value)
        }
        let (low, high) = (points.min { $0.y < $1.y }, points.max { $0.y < $1.y })
        ends = low.flatMap { low in high.map { (low, $0) } }
    }

    /// The range of the values in words, such as `19.5 °C to 21.3 °C`; `nil` without values.
    var words: String? {
        guard let ends else { return nil }
        let (low, high) = (characteristic.words(for: ends.low.value), characteristic.words(for: ends.high.value))
        return low == high ? low : localized("\(low) to \(high)")
    }

    /// The graph as SVG.
    var svg: String {
        let (width, height) = (Self.width, Self.height)
        var content = ""
        for tick in span.ticks(before: end, time) {
            let x = Self.text(Self.left + tick.share * (width - 2 * Self.left))
            content += """
                <line class="tick" x1="\(x)" x2="\(x)" y1="\(Self.text(Self.top))" y2="\(Self.text(height - Self.bottom))"/>\
                <text x="\(x)" y="\(Self.text(height - 6))" text-anchor="middle">\(tick.label)</text>
                """
        }
        if let ends {
            let range = ends.low.y...ends.high.y
            content += "<path class=\"area\" d=\"\(path(in: range, isArea: true))\"/>"
            content += "<path class=\"line\" d=\"\(path(in: range, isArea: false))\"/>"
            content +=
                "<text x=\"\(Self.text(Self.left))\" y=\"16\">\(characteristic.words(for: ends.high.value).escapedForXML)</text>"
            if range.lowerBound < range.upperBound {
                content += """
                    <text x="\(Self.text(Self.left))" y="\(Self.text(height - Self.bottom - 6))">\
                    \(characteristic.words(for: ends.low.value).escapedForXML)</text>
                    """
            }
        } else {
            content += """
                <text x="\(Self.text(width / 2))" y="\(Self.text(height / 2))" text-anchor="middle">\(localized("No values yet").escapedForXML)</text>
                """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.text(width))" height="\(Self.text(height))" \
            viewBox="0 0 \(Self.text(width)) \(Self.text(height))">\
            <style>text{font:18px system-ui,sans-serif;fill:#5f584b}.tick{stroke:#ddd5c6}\
            .line{fill:none;stroke:#8a4b08;stroke-width:2;stroke-linejoin:round}.area{fill:#8a4b08;opacity:.12}\
            @media(prefers-color-scheme:dark){text{fill:#b7ae9e}.tick{stroke:#3c372e}.line{stroke:#ffc163}\
            .area{fill:#ffc163}}</style>\(content)</svg>
            """
    }

    private func path(in range: ClosedRange<Double>, isArea: Bool) -> String {
        let inner = Self.height - Self.top - Self.bottom
        let length = range.upperBound - range.lowerBound
        func x(_ point: Point) -> String { Self.text(Self.left + point.x * (Self.width - 2 * Self.left)) }
        func y(_ value: Double) -> String {
            let share = length > 0 ? (value - range.lowerBound) / length : 0.5
            return Self.text(Self.top + (1 - share) * inner)
        }
        guard let first = points.first, let last = points.last else { return "" }
        let base = Self.text(Self.height - Self.bottom)
        var path = isArea ? "M\(x(first)) \(base)V\(y(first.y))" : "M\(x(first)) \(y(first.y))"
        for point in points.dropFirst() {
            path += characteristic.isMeasurement ? "L\(x(point)) \(y(point.y))" : "H\(x(point))V\(y(point.y))"
        }
        // The last value holds until the end.
        path += "H\(x(Point(x: 1, y: last.y, value: last.value)))"
        return isArea ? path + "V\(base)Z" : path
    }

    /// Returns a coordinate with one decimal place.
    private static func text(_ number: Double) -> String { ((number * 10).rounded() / 10).formText }
}

extension Graph {
    /// The period of a graph.
    enum Span: String, CaseIterable, Sendable {
        case day = "24h"
        case week = "7d"
        case month = "30d"

        var milliseconds: Int64 { hours * 3_600_000 }

        /// The length of an interval, which has one value.
        var interval: Duration { .milliseconds(milliseconds / Int64(Graph.intervals)) }

        var name: String {
            switch self {
            case .day: localized("24 hours")
            case .week: localized("7 days")
            case .month: localized("30 days")
            }
        }

        private var hours: Int64 {
            switch self {
            case .day: 24
            case .week: 7 * 24
            case .month: 30 * 24
            }
        }

        /// The time between labels, in hours.
        private var tickHours: Int64 {
            switch self {
            case .day: 4
            case .week: 24
            case .month: 5 * 24
            }
        }

        /// Returns the labels below the graph, with their times as shares of the period.
        ///
        /// Days are labeled at noon, in the middle of a day.
        fileprivate func ticks(before end: Timestamp, _ time: HomeTime) -> [(share: Double, label: String)] {
            let hour: Int64 = 3_600_000
            let start = end.millisecondsSince1970 - milliseconds
            var ticks: [(Double, String)] = []
            var at = (start / hour + 1) * hour
            while at < end.millisecondsSince1970 {
                let moment = Timestamp(millisecondsSince1970: at)
                let clock = time.clock(moment)
                let isTick =
                    self == .day
                    ? clock.prefix(2).allSatisfy(\.isNumber) && (Int64(clock.prefix(2)) ?? 1) % tickHours == 0
                    : clock.hasPrefix("12:")
                if isTick {
                    let share = Double(at - start) / Double(milliseconds)
                    let label = self == .day ? clock : String(time.text(of: moment).dropFirst(5).prefix(5))
                    if 0.03...0.97 ~= share { ticks.append((share, label)) }
                    at += max(tickHours - 1, 1) * hour
                } else {
                    at += hour
                }
            }
            return ticks
        }
    }
}

extension String {
    /// The text with the special characters of XML escaped.
    fileprivate var escapedForXML: String {
        sanitizedForPage.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
