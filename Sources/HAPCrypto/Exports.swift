// Secrets, randomness, ciphers and hashes come with this module.
@_exported import SodiumKit
