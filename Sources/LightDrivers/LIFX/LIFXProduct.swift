/// The capabilities of a LIFX product.
struct LIFXProduct: Equatable, Sendable {
    enum Kind: String, Sendable {
        case color, white
        /// A wall switch.
        case relays
    }

    var kind: Kind
    var name: String?
    /// The range of the product's color temperatures in kelvin.
    ///
    /// If both bounds are equal, the product has a single temperature.
    var kelvin: ClosedRange<Int>
    var hasZones = false

    /// The capabilities of products that aren't in the table: colors and whites, which newer products have.
    static let unknown = LIFXProduct(kind: .color, kelvin: 2500...9000)

    /// LIFX's products (vendor number 1), by product number.
    ///
    /// The data is from LIFX's public list.
    static let all: [UInt32: LIFXProduct] = read(table)

    private static func read(_ table: String) -> [UInt32: LIFXProduct] {
        var products: [UInt32: LIFXProduct] = [:]
        var product = unknown
        for line in table.split(separator: "\n") {
            if line.hasPrefix("- "), let colon = line.lastIndex(of: ":") {
                product.name =
                    line.hasPrefix("- LIFX")
                    ? String(line[..<colon].dropFirst(2)) : "LIFX \(line[..<colon].dropFirst(2))"
                for number in line[colon...].dropFirst().split(separator: " ") {
                    if let number = UInt32(number) { products[number] = product }
                }
            } else {
                let words = line.split(separator: " ")
                guard let kind = words.first.flatMap({ Kind(rawValue: String($0)) }) else { continue }
                let kelvin = words.dropFirst().prefix(2).compactMap { Int($0) }
                product = LIFXProduct(
                    kind: kind, kelvin: kelvin.count == 2 ? kelvin[0]...max(kelvin[0], kelvin[1]) : unknown.kelvin,
                    hasZones: words.last == "zones")
            }
        }
        return products
    }

    /// The table of products.
    ///
    /// Each group starts with a line that contains the kind and the range in kelvin. The products of the group follow,
    /// with their numbers.
    private static let table = """
        color 1500 9000
        - Mini C: 49 59
        - GU10: 52 53
        - (A19) LCM3: 62
        - (BR30) LCM3: 63
        - LIFX+ (A19) LCM3: 64
        - LIFX+ (BR30) LCM3: 65
        - A19: 72 163
        - Clean A19 1100lm: 90
        - Color 800lm: 91
        - Colour 1000lm: 92
        - Color A19 1100lm: 93
        - Color BR30 1100lm: 94
        - Colour A19 1200lm: 97
        - Colour BR30 1100lm: 98
        - Clean A19 1200lm: 99
        - NV A19 1100lm: 109
        - NV BR30 1100lm: 110 112
        - NV A19 1200lm: 111
        - DL: 121 122 223
        - Mini 3.1 Color US: 123
        - Mini 3.1 Color Intl: 124
        - Color 800: 129
        - Colour 1000: 130
        - GU10 Color US: 135
        - GU10 Color Intl: 136
        - PAR38 US: 153
        - PAR38 Intl: 154 225
        - Sunshine: 155
        - A21 1000lm Intl: 156
        - BR30: 164
        - A19 Intl: 165
        - BR30 Intl: 166
        - DL AU: 167
        - DL US: 168
        - A21: 169 170
        - PAR38: 175
        - Downlight US: 178 179 180
        - Mini: 181 182
        - Candle: 187
        - Candle Intl: 188
        - DL Intl: 224
        color 2500 9000
        - Original: 1
        - Original 1000: 2
        - Color 650: 3
        - Carbon Prototype: 14
        - Color 1000 (BR30): 20
        - LCMv4 Color (GU10): 21
        - Color 1000: 22
        - (A19): 23 27 43
        - (BR30): 24 28 44
        - LIFX+ (A19): 25 29 45
        - LIFX+ (BR30): 26 30 46
        - Downlight: 33
        - DL: 36 37
        - DL Colour 700lm: 40
        color 2700 6500
        - LCMv4 Color (A21): 15
        - Everyday A19: 191
        - Everyday A19 Intl: 192
        color 1500 9000 zones
        - Candle C: 57 68 137 138 185 215
        - Z: 117 118
        - Beam: 119 120
        - Neon: 141 142 205 206
        - String: 143 144 203 204
        - Neon Outdoor: 151 152 161 162
        - Spot: 171 172
        - Path: 173 174
        - Ceiling: 176 177
        - Candle C Intl: 186 216
        - Ceiling 13x26: 201
        - Ceiling 13x26 Intl: 202
        - Permanent Outdoor: 213
        - Permanent Outdoor Intl: 214
        - Tube: 217
        - Tube Intl: 218
        - Luna: 219
        - Luna Intl: 220
        - Spot Intl: 221
        - Path Intl: 222 229
        - Ceiling 13": 265
        - Ceiling 13" Intl: 266
        - Mirror: 267
        - Mirror Intl: 268
        color 2500 9000 zones
        - Z: 31 32
        - Beam: 38 56
        - Tile: 55
        color 2700 6500 zones
        - Everyday Lightstrip: 207
        - Everyday Lightstrip Intl: 208
        - Everyday Permanent Outdoor US: 211 300
        relays
        - Switch: 70 71 84 89 115
        - Switch US: 116
        - Dimmer Switch: 226
        white 1500 9000
        - WW 800lm: 113
        - WW 1000lm: 114
        - Mini 3.1 WW US: 125
        - Mini 3.1 WW Intl: 126
        - White to Warm 800: 131
        - White to Warm 1000: 132
        white 2000 2000
        - Filament Amber: 85 101
        white 2200 2200
        - Filament Clear: 82 100
        - Filament Smokey: 86 102
        white 2200 6500
        - Candle WW: 67 81 96
        white 2500 9000
        - DL WW 700lm: 39
        - Mini DD: 50 60
        white 2700 2700
        - LCMv4 White OEM (A19 LV): 12
        - LCMv4 White OEM (A19 HV): 13
        - Mini W: 51 61 66
        - GU10 White: 54
        - White: 87 88
        - Mini 3.1 W US: 127
        - Mini 3.1 W Intl: 128
        - White 650: 133
        - White 800: 134
        white 2700 6500
        - White 800 (LV): 10
        - White 800 (HV): 11
        - White 900 (BR30): 18 19
        """
}
