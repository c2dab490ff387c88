import AccessoryRole

/// Metrics as text in Prometheus's exposition format, version 0.0.4.
struct PrometheusText {
    /// One value of a metric.
    struct Sample {
        let labels: KeyValuePairs<String, String>
        let value: Double

        init(_ labels: KeyValuePairs<String, String>, _ value: some BinaryInteger) {
            self.labels = labels
            self.value = Double(value)
        }
    }

    private(set) var text = ""

    /// Appends a metric whose values only increase until the program restarts.
    mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
        family(name, "counter", help, samples)
    }

    mutating func counter(_ name: String, _ help: String, _ value: Double) { single(name, "counter", help, value) }

    /// Appends a metric whose values can increase and decrease.
    mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) { family(name, "gauge", help, samples) }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) { single(name, "gauge", help, value) }

    /// Appends a metric with distributions of durations, in seconds.
    mutating func histogram(
        _ name: String, _ help: String, _ histograms: [(label: (String, String), LatencyHistogram)]
    ) {
        guard !histograms.isEmpty else { return }
        head(name, "histogram", help)
        for (label, histogram) in histograms {
            var count: UInt64 = 0
            let bounds = LatencyHistogram.bounds.map { Self.number($0 / .seconds(1)) } + ["+Inf"]
            for (bound, step) in zip(bounds, histogram.counts) {
                count += step
                line("\(name)_bucket", [label, ("le", bound)], Double(count))
            }
            line("\(name)_sum", [label], histogram.sum / .seconds(1))
            line("\(name)_count", [label], Double(count))
        }
    }

    private mutating func family(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        head(name, type, help)
        for sample in samples { line(name, sample.labels.map { ($0.key, $0.value) }, sample.value) }
    }

    private mutating func single(_ name: String, _ type: String, _ help: String, _ value: Double) {
        head(name, type, help)
        line(name, [], value)
    }

    private mutating func head(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(type)\n"
    }

    private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.map { "\($0)=\"\(Self.escaped($1, quotes: true))\"" }
            text += "{\(pairs.joined(separator: ","))}"
        }
        text += " \(Self.number(value))\n"
    }

    /// Returns the text of a number.
    ///
    /// Integers are written without a fraction.
    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.magnitude < 0x1p53 && value == value.rounded() ? "\(Int64(value))" : "\(value)"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
