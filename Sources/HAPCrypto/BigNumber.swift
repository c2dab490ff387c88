internal import CGMP

/// A non-negative integer of any size.
///
/// The limbs are wiped on deinitialization, except in temporary copies that GMP makes.
struct BigNumber: ~Copyable {
    private let number: UnsafeMutablePointer<__mpz_struct>

    private init() {
        number = .allocate(capacity: 1)
        lamplighter_mpz_init(number)
    }

    /// Creates a number from bytes, most significant first.
    init(_ bytes: [UInt8]) {
        self.init()
        lamplighter_mpz_import(number, bytes.count, bytes)
    }

    deinit {
        lamplighter_mpz_wipe(number)
        number.deallocate()
    }

    var isZero: Bool { lamplighter_mpz_sgn(number) == 0 }

    static func < (a: borrowing BigNumber, b: borrowing BigNumber) -> Bool {
        lamplighter_mpz_cmp(a.number, b.number) < 0
    }

    static func + (a: borrowing BigNumber, b: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        lamplighter_mpz_add(result.number, a.number, b.number)
        return result
    }

    static func * (a: borrowing BigNumber, b: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        lamplighter_mpz_mul(result.number, a.number, b.number)
        return result
    }

    static func % (a: borrowing BigNumber, modulus: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        lamplighter_mpz_mod(result.number, a.number, modulus.number)
        return result
    }

    /// Returns `(self - other) mod modulus`, which is never negative.
    func subtracting(_ other: borrowing BigNumber, modulo modulus: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        lamplighter_mpz_sub(result.number, number, other.number)
        lamplighter_mpz_mod(result.number, result.number, modulus.number)
        return result
    }

    /// Returns `self ^ exponent mod modulus` in time that doesn't depend on the exponent's bits.
    ///
    /// The exponent must be above zero and the modulus odd.
    func power(_ exponent: borrowing BigNumber, modulo modulus: borrowing BigNumber) -> BigNumber {
        precondition(!exponent.isZero, "an exponent must not be zero")
        let result = BigNumber()
        lamplighter_mpz_powm_sec(result.number, number, exponent.number, modulus.number)
        return result
    }

    /// Returns the same result as ``power(_:modulo:)``, but faster.
    ///
    /// The duration reveals the exponent, so use this method only for public exponents.
    func power(ofPublic exponent: borrowing BigNumber, modulo modulus: borrowing BigNumber) -> BigNumber {
        let result = BigNumber()
        lamplighter_mpz_powm(result.number, number, exponent.number, modulus.number)
        return result
    }

    /// The number as bytes, most significant first, without leading zeros.
    var bytes: [UInt8] {
        guard !isZero else { return [] }
        let count = lamplighter_mpz_bytes(number)
        return [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            initialized = lamplighter_mpz_export(output.baseAddress, number)
        }
    }

    /// The number as exactly `count` bytes, most significant first.
    func padded(to count: Int) -> [UInt8] {
        let bytes = bytes
        precondition(bytes.count <= count, "a number must be reduced before it is padded")
        return [UInt8](repeating: 0, count: count - bytes.count) + bytes
    }
}
