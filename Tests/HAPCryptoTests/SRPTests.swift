import HAPTesting
import TestTimeouts
import Testing

@testable import HAPCrypto

@Suite("SRP with test vectors")
struct SRPVectorTests {
    private let vectors: Vectors
    static let cases = [
        "no_leading_zero", "A_leading_zero", "B_leading_zero", "S_leading_zero", "K_leading_zero", "salt_all_zero",
    ]

    init() throws { vectors = try Vectors.load() }

    private func server(_ vector: Vectors, passwordName: String = "setup_code_text") throws -> SRPServer {
        let verifier = try #require(
            SRPVerifier(
                username: Array(try vector["username_text"].text.utf8),
                password: Array(try vector[passwordName].text.utf8), salt: try vector["salt"].bytes))
        return try #require(SRPServer(verifier, secret: SecretBytes(try vector["b"].bytes)))
    }

    private func client(_ vector: Vectors, b: [UInt8], passwordName: String = "setup_code_text") throws -> SRPClient? {
        try SRPClient(
            username: Array(try vector["username_text"].text.utf8),
            password: Array(try vector[passwordName].text.utf8), salt: try vector["salt"].bytes, serverKey: b,
            secret: SecretBytes(try vector["a"].bytes))
    }

    // MARK: Published vectors

    @Test("computes the published test vector on both sides")
    func published() throws {
        let vector = try vectors["srp_published"]
        let server = try server(vector, passwordName: "password_text")
        let client = try #require(try client(vector, b: server.publicKey, passwordName: "password_text"))
        #expect(SRP.modulus == (try vector["N"].bytes))
        #expect(SRP.g == [UInt8(try vector["g_int"].int)])
        #expect(
            SRP.x(salt: server.salt, username: Array("alice".utf8), password: Array("password123".utf8))
                == (try vector["x"].bytes))
        #expect(server.publicKey == (try vector["B"].bytes))
        #expect(client.publicKey == (try vector["A"].bytes))
        #expect(SRP.u(client.publicKey, server.publicKey) == (try vector["u"].bytes))
        #expect(client.key.copy == (try vector["K"].bytes))
        #expect(client.proof == (try vector["M1"].bytes))
        let agreement = try server.check(clientKey: client.publicKey, proof: client.proof)
        #expect(agreement.key.copy == (try vector["K"].bytes))
        #expect(agreement.proof == (try vector["M2"].bytes))
        #expect(client.accepts(serverProof: agreement.proof))
        #expect(SHA512.hash(try vector["S"].bytes) == (try vector["K"].bytes))
    }

    @Test("computes the verifier as g to the power x")
    func verifier() throws {
        for vector in [try vectors["srp_published"]]
            + (try Self.cases.map { try vectors["srp_pair_setup"]["cases"][$0] })
        {
            let v = BigNumber(SRP.g).power(BigNumber(try vector["x"].bytes), modulo: BigNumber(SRP.modulus))
            #expect(v.padded(to: SRP.length) == (try vector["v"].bytes), "\(vector.path)")
        }
    }

    @Test("has the right constants, which differ from those of two common mistakes")
    func constants() throws {
        let vector = try vectors["srp_constants"]
        #expect(SRP.k == (try vector["k"].bytes))
        #expect(SRP.k != (try vector["k_if_g_not_padded_WRONG"].bytes))
        #expect(SRP.groupHash == (try vector["H_N_xor_H_g"].bytes))
        #expect(SRP.groupHash != (try vector["H_N_xor_H_g_if_g_padded_WRONG"].bytes))
        #expect(SHA512.hash(SRP.modulus) == (try vector["H_N"].bytes))
        #expect(SHA512.hash(SRP.g) == (try vector["H_g_one_byte"].bytes))
        #expect(SHA512.hash(SRP.username) == (try vector["H_username_Pair-Setup"].bytes))
        #expect(SRP.padded(SRP.g).count == (try vector["PAD_g_len"].int))
    }

    // MARK: Padding

    @Test("has test vectors for every case of padding")
    func allCases() throws {
        #expect(try vectors["srp_pair_setup"]["cases"].names == Self.cases)
    }

    @Test("computes B, u and both forms of K", arguments: cases)
    func intermediates(name: String) throws {
        let vector = try vectors["srp_pair_setup"]["cases"][name]
        let server = try server(vector)
        let a = try vector["A_padded"].bytes
        #expect(server.publicKey == (try vector["B_padded"].bytes))
        #expect(
            SRP.x(salt: server.salt, password: Array(try vector["setup_code_text"].text.utf8))
                == (try vector["x"].bytes))
        #expect(SRP.u(a, server.publicKey) == (try vector["u"].bytes))
        #expect(SRP.u(SRP.stripped(a), SRP.stripped(server.publicKey)) == (try vector["u"].bytes))
        let lengths = try (vector["A_len"].int, vector["B_len"].int, vector["S_len"].int)
        let s = try vector["S_padded"].bytes
        #expect(lengths == (SRP.stripped(a).count, SRP.stripped(server.publicKey).count, SRP.stripped(s).count))
        #expect(SHA512.hash(SRP.stripped(s)) == (try vector["K_of_S_stripped"].bytes))
        #expect(SHA512.hash(s) == (try vector["K_of_S_padded"].bytes))
    }

    @Test("accepts M1 in every padding, and answers with M2 over the padded A", arguments: cases)
    func everyProof(name: String) throws {
        let vector = try vectors["srp_pair_setup"]["cases"][name]
        let server = try server(vector)
        let padded = try vector["A_padded"].bytes
        let variants = try vector["M1_variants"]
        #expect(try variants.names.count == 8)
        for variant in try variants.names {
            let proof = try variants[variant].bytes
            let keyName = variant.hasSuffix("S_stripped") ? "K_of_S_stripped" : "K_of_S_padded"
            let key = try vector[keyName].bytes
            // The result doesn't depend on the leading zeros of A.
            for sent in [padded, SRP.stripped(padded)] {
                let agreement = try server.check(clientKey: sent, proof: proof)
                #expect(agreement.key.copy == key, "\(name) \(variant)")
                #expect(agreement.key.count == 64)
                #expect(agreement.proof == SHA512.hash(padded, proof, key), "\(name) \(variant)")
            }
        }
    }

    @Test("sends the M2 that Apple's library and other peers expect", arguments: cases)
    func everyAnswer(name: String) throws {
        let vector = try vectors["srp_pair_setup"]["cases"][name]
        let server = try server(vector)
        let a = try vector["A_padded"].bytes
        let m1 = try vector["M1_variants"]
        let m2 = try vector["M2_variants"]
        #expect(try m2.names.count == 3)
        let apple = try server.check(clientKey: a, proof: try vector["M1_ADK"].bytes)
        #expect(try vector["M1_ADK"].bytes == m1["A_stripped,B_stripped,S_stripped"].bytes)
        #expect(apple.proof == (try vector["M2_ADK"].bytes))
        #expect(apple.proof == (try m2["A_padded,K_of_S_stripped,M1_all_stripped"].bytes))
        let others = try server.check(clientKey: a, proof: try m1["A_padded,B_padded,S_padded"].bytes)
        #expect(others.proof == (try m2["A_padded,K_of_S_padded,M1_all_padded"].bytes))
        // An M2 over a stripped A is never sent. It differs only if A starts with a zero byte.
        let stripped = try m2["A_stripped,K_of_S_stripped,M1_all_stripped"].bytes
        #expect((stripped == apple.proof) == (a[0] != 0))
    }

    @Test("rejects proofs that result from known mistakes", arguments: cases)
    func mistakes(name: String) throws {
        let vector = try vectors["srp_pair_setup"]["cases"][name]
        let server = try server(vector)
        let a = try vector["A_padded"].bytes
        var wrong = try vector["M1_ADK"].bytes
        wrong[63] ^= 1
        #expect(throws: CryptoError.authenticationFailed) { try server.check(clientKey: a, proof: wrong) }
        if name == "K_leading_zero" {
            let integer = try vector["M1_if_K_turned_into_integer_WRONG"].bytes
            #expect(throws: CryptoError.authenticationFailed) { try server.check(clientKey: a, proof: integer) }
        }
        let u = try vector["u"].bytes
        let unpadded = try vector["u_if_unpadded_WRONG"].bytes
        #expect((u == unpadded) == (a[0] != 0 && server.publicKey[0] != 0))
        #expect(SHA512.hash(SRP.stripped(a), SRP.stripped(server.publicKey)) == unpadded)
    }

    @Test("rejects a proof of any other length", arguments: [0, 1, 63, 65, 1000])
    func proofLengths(count: Int) throws {
        let vector = try vectors["srp_pair_setup"]["cases"]["no_leading_zero"]
        let server = try server(vector)
        #expect(throws: CryptoError.authenticationFailed) {
            try server.check(clientKey: try vector["A_padded"].bytes, proof: [UInt8](repeating: 0, count: count))
        }
    }

    @Test("hashes a partly padded A as received")
    func partlyPadded() throws {
        // The file contains no client with a fixed secret below 2^3060, so this test uses a small A: g itself.
        let vector = try vectors["srp_pair_setup"]["cases"]["no_leading_zero"]
        let server = try server(vector)
        let raw: [UInt8] = [0, 0, 5]
        let n = BigNumber(SRP.modulus)
        let u = BigNumber(SRP.u([5], server.publicKey))
        let v = BigNumber(try vector["v"].bytes)
        let base = (BigNumber([5]) * v.power(u, modulo: n)) % n
        let key = SHA512.hash(base.power(BigNumber(try vector["b"].bytes), modulo: n).bytes)
        for (form, answered) in [([5], SRP.padded([5])), (SRP.padded([5]), SRP.padded([5])), (raw, raw)] {
            let proof = SRP.clientProof(salt: server.salt, a: form, b: server.publicKey, key: key)
            let agreement = try server.check(clientKey: raw, proof: proof)
            #expect(agreement.key.copy == key)
            #expect(agreement.proof == SHA512.hash(answered, proof, key))
        }
    }

    // MARK: Skipping numbers that start with zero

    @Test("skips a secret whose B begins with a zero byte")
    func zeroB() throws {
        let vector = try vectors["srp_pair_setup"]["cases"]["B_leading_zero"]
        let verifier = try #require(
            SRPVerifier(password: Array(try vector["setup_code_text"].text.utf8), salt: try vector["salt"].bytes))
        let (bad, good) = (SecretBytes(try vector["b"].bytes), SecretBytes([UInt8](repeating: 9, count: 32)))
        let zero = SecretBytes([UInt8](repeating: 0, count: 32))
        #expect(try #require(SRPServer(verifier, secret: bad)).publicKey[0] == 0)
        var draws = [zero, bad, bad, good, zero]
        let server = SRPServer(verifier) { draws.removeFirst() }
        #expect(draws.count == 1)
        #expect(server == SRPServer(verifier, secret: good))
        #expect(server.publicKey[0] != 0)
    }

    @Test("skips a salt that begins with a zero byte")
    func zeroSalt() throws {
        let good = [UInt8](repeating: 9, count: 16)
        var draws = [[0] + good.dropLast(), [UInt8](repeating: 0, count: 16), good, []]
        let verifier = SRPVerifier(setupCode: "031-45-154") { draws.removeFirst() }
        #expect(draws.count == 1)
        #expect(verifier == SRPVerifier(password: Array("031-45-154".utf8), salt: good))
    }

    // MARK: The client

    @Test(
        "computes the golden A and M1, or requires another secret if the padding would matter", arguments: cases)
    func clientSide(name: String) throws {
        let vector = try vectors["srp_pair_setup"]["cases"][name]
        let padded = try vector["B_padded"].bytes
        let client = try client(vector, b: padded)
        if ["A_leading_zero", "S_leading_zero", "K_leading_zero"].contains(name) {
            #expect(client == nil)
            return
        }
        let made = try #require(client)
        let m1 = try vector["M1_variants"]
        #expect(made.publicKey == (try vector["A_padded"].bytes))
        #expect(made.key.copy == (try vector["K_of_S_padded"].bytes))
        #expect(made.proof == (try m1["A_padded,B_padded,S_padded"].bytes))
        #expect(made.accepts(serverProof: try vector["M2_variants"]["A_padded,K_of_S_padded,M1_all_padded"].bytes))
        #expect(!made.accepts(serverProof: made.proof))
        #expect(!made.accepts(serverProof: []))
        // A B that arrives without its leading zero is hashed as received.
        let stripped = try #require(try self.client(vector, b: SRP.stripped(padded)))
        #expect(stripped.proof == (try m1["A_padded,B_stripped,S_padded"].bytes))
    }
}

@Suite("SRP with hostile numbers")
struct SRPHostileTests {
    private let vectors: Vectors
    private let server: SRPServer

    init() throws {
        vectors = try Vectors.load()
        let verifier = try #require(
            SRPVerifier(password: Array("031-45-154".utf8), salt: [UInt8](repeating: 1, count: 16)))
        server = try #require(SRPServer(verifier, secret: SecretBytes([UInt8](repeating: 9, count: 32))))
    }

    @Test("rejects an A that is zero or not below N")
    func badA() throws {
        let bad = try vectors["srp_pair_setup"]["bad_A"]
        let proof = [UInt8](repeating: 0, count: 64)
        var keys = try bad["A_multiples_of_N_to_reject"].list.map { try $0.bytes }
        keys += try bad["A_zero_short_to_reject"].list.map { try $0.bytes }
        #expect(keys.count == 4)
        keys += [[UInt8](repeating: 0xFF, count: 384), [0, 0, 0]]
        keys += [[UInt8](repeating: 1, count: 385), [UInt8](repeating: 0, count: 100_000)]
        for key in keys {
            #expect(throws: CryptoError.badKey) { try server.check(clientKey: key, proof: proof) }
        }
    }

    @Test("rejects an A of N - 1 or 1 without the code")
    func smallOrder() throws {
        for key in [Array(SRP.modulus.dropLast()) + [0xFE], [1], SRP.padded([1])] {
            for s in [[1], Array(SRP.modulus.dropLast()) + [0xFE], []] as [[UInt8]] {
                let proof = SRP.clientProof(
                    salt: server.salt, a: key, b: server.publicKey, key: SHA512.hash(s))
                #expect(throws: CryptoError.authenticationFailed) { try server.check(clientKey: key, proof: proof) }
            }
        }
    }

    @Test("rejects a B that is zero, N or of the wrong length")
    func badB() {
        let salt = [UInt8](repeating: 1, count: 16)
        for key in [[], [0], [UInt8](repeating: 0, count: 384), SRP.modulus, [UInt8](repeating: 7, count: 385)] {
            #expect(throws: CryptoError.badKey) {
                try SRPClient(setupCode: "031-45-154", salt: salt, serverKey: key)
            }
        }
    }

    @Test("rejects a salt of the wrong length", arguments: [0, 1, 15, 17, 255])
    func badSalt(count: Int) {
        #expect(throws: CryptoError.badKey) {
            try SRPClient(
                setupCode: "031-45-154", salt: [UInt8](repeating: 1, count: count), serverKey: server.publicKey)
        }
    }

    @Test(
        "stops drawing secrets if an accessory forces S to 0 or 1", .timeout,
        arguments: [0, 1])
    func forcedSecret(s: Int) throws {
        // With B = k·v + s, s is the base of the client's power for any secret.
        let code = Array("031-45-154".utf8)
        let n = BigNumber(SRP.modulus)
        let v = BigNumber(SRP.g).power(BigNumber(SRP.x(salt: server.salt, password: code)), modulo: n)
        let kv = (BigNumber(SRP.k) * v) % n
        let key = (s == 0 ? kv : kv + BigNumber([1])).padded(to: SRP.length)
        #expect(throws: CryptoError.badKey) {
            try SRPClient(setupCode: "031-45-154", salt: server.salt, serverKey: key)
        }
    }

    @Test("agrees on the same key on both sides with random secrets, but not with a wrong code")
    func fresh() throws {
        let verifier = SRPVerifier(setupCode: "415-27-893")
        let server = SRPServer(verifier)
        #expect(server.publicKey.count == SRP.length && server.publicKey[0] != 0)
        let client = try SRPClient(setupCode: "415-27-893", salt: server.salt, serverKey: server.publicKey)
        #expect(client.publicKey.count == SRP.length && client.publicKey[0] != 0)
        let agreement = try server.check(clientKey: client.publicKey, proof: client.proof)
        #expect(agreement.key == client.key)
        #expect(client.accepts(serverProof: agreement.proof))
        let unknownPeer = try SRPClient(setupCode: "415-27-894", salt: server.salt, serverKey: server.publicKey)
        #expect(throws: CryptoError.authenticationFailed) {
            try server.check(clientKey: unknownPeer.publicKey, proof: unknownPeer.proof)
        }
        #expect(!unknownPeer.accepts(serverProof: agreement.proof))
        #expect(SRPVerifier(setupCode: "415-27-893").salt != server.salt)
        // Another attempt uses the same verifier with a new secret.
        let other = SRPServer(verifier)
        #expect(other.salt == server.salt && other.publicKey != server.publicKey)
        #expect(throws: CryptoError.authenticationFailed) {
            try other.check(clientKey: client.publicKey, proof: client.proof)
        }
        #expect(server.salt[0] != 0)
    }

    @Test("draws again after a secret of zero")
    func zeroSecret() throws {
        let zero = SecretBytes([UInt8](repeating: 0, count: 32))
        #expect(SRPServer(SRPVerifier(setupCode: "031-45-154"), secret: zero) == nil)
        #expect(try SRPClient(password: [1], salt: server.salt, serverKey: server.publicKey, secret: zero) == nil)
    }
}
