//! `structuredClone`, `crypto`, `atob`, `btoa`, `hash`, `hmac`.

#[path = "common/stage.rs"]
mod common;

use common::{stage, story, try_stage};

/// Runs statements with `told(…)`, which adds lines, and returns the lines.
fn lines(body: &str) -> Vec<String> {
    let mut stage = stage(&format!(
        "import {{ hash, hmac }} from 'headcount'; const told = console.log;\n\
         export default async function ({{ users: [user] }}) {{ {body} }}"
    ));
    stage.start(1);
    stage.ends_well();
    stage.logged()
}

fn refused(body: &str) -> String {
    let mut stage = stage(&format!(
        "import {{ hash, hmac }} from 'headcount';\nexport default async function ({{ users: [user], channel }}) {{\n{body} }}"
    ));
    stage.start(1);
    let fault = stage.fault();
    let line = fault.location.map(|place| place.line);
    assert_eq!(line, Some(3), "{:?}", fault.fault);
    fault.fault.detail
}

#[test]
fn clones_are_deep_and_keep_kinds_and_cycles() {
    let told = lines(
        "const whole = { list: [1, , 'x', null, undefined, 5n, -0], map: new Map([[{ k: 1 }, new Set([2])]]), when: new Date(5),
           match: /a/gi, bytes: new Uint8Array([1, 2, 3]).subarray(1), number: Object(7) };
         whole.self = whole; whole.list.push(whole.list); whole.twice = whole.when;
         const copy = structuredClone(whole);
         told(copy !== whole, copy.self === copy, copy.list.at(-1) === copy.list, copy.twice === copy.when, copy.when !== whole.when);
         told(1 in copy.list, copy.list.length, 4 in copy.list, Object.is(copy.list[6], -0), copy.list[5] === 5n);
         whole.bytes[0] = 9; [...whole.map.keys()][0].k = 2; whole.list[0] = 9;
         told(copy.bytes instanceof Uint8Array, [...copy.bytes], copy.bytes.buffer.byteLength, copy.list[0]);
         told(copy.map, copy.when.getTime(), String(copy.match), copy.number instanceof Number && +copy.number === 7);",
    );
    assert_eq!(
        told,
        [
            "true true true true true",
            "false 8 true true true",
            "true [2, 3] 3 1",
            "Map(1) { { k: 1 } => Set(1) { 2 } } 5 /a/gi true",
        ]
    );
}

#[test]
fn views_of_one_buffer_share_their_clone() {
    let told = lines(
        "const buffer = new ArrayBuffer(8); const both = { a: new Uint8Array(buffer), b: new DataView(buffer, 4), c: new Float64Array(1) };
         const copy = structuredClone(both); copy.a[4] = 7;
         told(copy.b.getUint8(0), copy.a.buffer === copy.b.buffer, copy.b.byteLength, copy.c instanceof Float64Array, both.a[4]);",
    );
    assert_eq!(told, ["7 true 4 true 0"]);
}

#[test]
fn clones_of_errors_and_instances() {
    let told = lines(
        "const error = new RangeError('far', { cause: { n: 1 } }); const copy = structuredClone(error);
         told(copy instanceof RangeError, copy.message, copy.cause, copy.cause !== error.cause, copy.stack === error.stack);
         class Point { constructor() { this.x = 1; } get twice() { return 2; } }
         const point = structuredClone(new Point()); told(point, point instanceof Point, Object.keys(point));
         told(structuredClone({ ['__proto__']: 1 }), structuredClone(Object.create(null)), structuredClone('text'), structuredClone(undefined));",
    );
    assert_eq!(
        told,
        [
            "true far { n: 1 } true true",
            "{ x: 1 } false [\"x\"]",
            "{ __proto__: 1 } {} text undefined",
        ]
    );
}

#[test]
fn functions_and_private_objects_are_not_cloned() {
    for (value, what) in [
        ("{ a: [function go() {}] }", "the function go"),
        ("() => 1", "the function ()"),
        ("[Symbol('s')]", "a symbol"),
        ("Promise.resolve()", "Promise"),
        ("new WeakMap()", "WeakMap"),
        ("{ user }", "User"),
        ("channel('c', { to: 'everyone' })", "Channel"),
        ("new URL('http://a')", "URL"),
    ] {
        let told = refused(&format!("structuredClone({value});"));
        let expected = format!("DataCloneError: structuredClone(value): {what} cannot be cloned");
        assert_eq!(told, expected, "{value}");
    }
    let told = refused("structuredClone(1, { transfer: [new ArrayBuffer(1)] });");
    assert!(told.contains("`transfer` is not supported"), "{told}");
}

/// The generator of the tests' host returns 0.5 at each call, so each four bytes are 0, 0, 0, 128.
#[test]
fn random_values_come_from_the_users_own_generator() {
    let body = "console.log(crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(5))], \
         [...crypto.getRandomValues(new Uint16Array(new Uint16Array(4).buffer, 2, 2))], \
         crypto.getRandomValues(new BigUint64Array(1))[0] === 0x8000000080000000n);\n\
         const same = new Int8Array(1); console.log(crypto.getRandomValues(same) === same);";
    let mut stage = story(body);
    stage.start(1);
    stage.ends_well();
    assert_eq!(
        stage.logged(),
        [
            "00000080-0000-4080-8000-008000000080 [0, 0, 0, 128, 0] [0, 32768] true",
            "true"
        ]
    );
    assert_eq!(stage.host.borrow().randoms, 4 + 2 + 1 + 2 + 1);
    for (call, why) in [
        ("crypto.getRandomValues([1])", "integer typed array"),
        (
            "crypto.getRandomValues(new Float32Array(1))",
            "integer typed array",
        ),
        (
            "crypto.getRandomValues(new Uint8Array(65537))",
            "at most 65536 bytes",
        ),
    ] {
        let told = refused(&format!("{call};"));
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_module_has_no_random_generator_while_it_loads() {
    for call in [
        "crypto.randomUUID()",
        "crypto.getRandomValues(new Uint8Array(1))",
    ] {
        let error = try_stage(&format!("\nconst id = {call};\nexport default () => id;"));
        let error = error.err().map(|error| error.to_string()).unwrap();
        assert!(
            error.contains("room.ts:2:") && error.contains("make this call in `setup`"),
            "{error}"
        );
    }
}

#[test]
fn base64_of_the_web() {
    let told = lines(
        "told(btoa('hé'), btoa(''), atob('aOk='), atob(' aO\\nk '), atob('YQ'), atob(''));
         for (const bad of ['a', 'a===', 'YQ=', '*', 'aOk=='])  { try { told(atob(bad)); } catch (error) { told(error.name); } }
         try { btoa('€'); } catch (error) { told(error instanceof DOMException, error.name); }",
    );
    assert_eq!(told[0], "aOk=  hé hé a ");
    assert_eq!(told[1..6], ["InvalidCharacterError"; 5]);
    assert_eq!(told[6], "true InvalidCharacterError");
    assert!(refused("atob('*');").starts_with("InvalidCharacterError: "));
}

/// The expected values are those of `printf … | openssl dgst`.
#[test]
fn hashes_have_encodings() {
    let told = lines(
        "told(hash('md5', ''), hash('sha1', 'ü'));
         told(hash('sha256', new Uint8Array([255, 238]), 'hex'), hash('sha1', 'a', 'base64'), hash('md5', 'b', 'base64url'));
         told(hash('md5', 'b', 'base64'), hash('md5', new Uint8Array([0, 98, 0]).subarray(1, 2), 'base64'));
         const bytes = hash('md5', '', 'bytes'); told(bytes instanceof Uint8Array, bytes.length, bytes[0]);
         told(hmac('sha256', 'key', 'The quick brown fox jumps over the lazy dog'));
         told(hmac('sha256', new TextEncoder().encode('key'), new ArrayBuffer(0)) === hmac('sha256', 'key', ''));",
    );
    assert_eq!(
        told[0],
        "d41d8cd98f00b204e9800998ecf8427e 94a759fd37735430753c7b6b80684306d80ea16e"
    );
    assert_eq!(
        told[1],
        "565f7d45886ca1943946507302b2b1a783c53ffdd13377339ed8466b557caa42 hvfkN/qlp/zhXR3cuerq6jd2Z7g= kutf_uauL-w61xx3dTFXjw"
    );
    assert_eq!(told[2], "kutf/uauL+w61xx3dTFXjw== kutf/uauL+w61xx3dTFXjw==");
    assert_eq!(told[3], "true 16 212");
    assert_eq!(
        told[4],
        "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8"
    );
    assert_eq!(told[5], "true");
}

#[test]
fn wrong_arguments_of_a_hash_are_explained() {
    for (call, why) in [
        (
            "hash('SHA-256', 'a')",
            "unknown algorithm `SHA-256`; expected one of: md5, sha1, sha256, sha512",
        ),
        (
            "hash('sha265', 'a')",
            "unknown algorithm `sha265`, did you mean `sha256`?",
        ),
        (
            "hash('md5', 'a', 'base46')",
            "unknown encoding `base46`, did you mean `base64`?",
        ),
        (
            "hash('md5')",
            "`data` must be a string, ArrayBuffer or Uint8Array, not undefined",
        ),
        (
            "hmac('md5', 5, 'a')",
            "`key` must be a string, ArrayBuffer or Uint8Array, not int",
        ),
        ("hash('md5', '\\uD800')", "half a surrogate pair"),
        ("hash()", "the algorithm must be a string"),
    ] {
        let told = refused(&format!("{call};"));
        assert!(told.contains(why), "{call}: {told}");
    }
}

#[test]
fn globals_of_the_web_can_be_replaced_and_detected() {
    let told = lines(
        "told(typeof URL, typeof URLSearchParams, typeof structuredClone, typeof crypto, typeof atob, typeof queueMicrotask);
         told(Object.keys(globalThis).length === 0 || !Object.keys(globalThis).includes('URL'), performance.now() >= 0);
         globalThis.URL = 5; told(URL);",
    );
    assert_eq!(
        told,
        [
            "function function function object function function",
            "true true",
            "5"
        ]
    );
}
