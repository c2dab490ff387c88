// gmp.h renames its functions with macros, which Swift can't import. These functions have ordinary names.
#include <gmp.h>

static inline void lamplighter_mpz_init(mpz_ptr x) { mpz_init(x); }

static inline void lamplighter_mpz_import(mpz_ptr x, size_t count, const void *bytes) {
    mpz_import(x, count, 1, 1, 1, 0, bytes);
}

// `bytes` must have room for at least `lamplighter_mpz_bytes(x)` bytes.
static inline size_t lamplighter_mpz_export(void *bytes, mpz_srcptr x) {
    size_t count = 0;
    mpz_export(bytes, &count, 1, 1, 1, 0, x);
    return count;
}

static inline size_t lamplighter_mpz_bytes(mpz_srcptr x) { return (mpz_sizeinbase(x, 2) + 7) / 8; }

// Erases a number's limbs before it frees them, because they may contain a secret.
static inline void lamplighter_mpz_wipe(mpz_ptr x) {
    volatile mp_limb_t *limbs = (volatile mp_limb_t *)x->_mp_d;
    for (int i = 0; i < x->_mp_alloc; i++) limbs[i] = 0;
    mpz_clear(x);
}

static inline int lamplighter_mpz_sgn(mpz_srcptr x) { return mpz_sgn(x); }
static inline int lamplighter_mpz_cmp(mpz_srcptr x, mpz_srcptr y) { return mpz_cmp(x, y); }
static inline void lamplighter_mpz_add(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_add(r, x, y); }
static inline void lamplighter_mpz_sub(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_sub(r, x, y); }
static inline void lamplighter_mpz_mul(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_mul(r, x, y); }
static inline void lamplighter_mpz_mod(mpz_ptr r, mpz_srcptr x, mpz_srcptr y) { mpz_mod(r, x, y); }

// Runs in time independent of the exponent's value. The modulus must be odd, and the exponent greater than 0.
static inline void lamplighter_mpz_powm_sec(mpz_ptr r, mpz_srcptr base, mpz_srcptr exponent, mpz_srcptr modulus) {
    mpz_powm_sec(r, base, exponent, modulus);
}

static inline void lamplighter_mpz_powm(mpz_ptr r, mpz_srcptr base, mpz_srcptr exponent, mpz_srcptr modulus) {
    mpz_powm(r, base, exponent, modulus);
}
