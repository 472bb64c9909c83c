use super::super::Parser;

#[test]
fn interim_responses_without_end_are_refused() {
    let mut parser = Parser::new(1000);
    parser.expect(false);
    let interim = b"HTTP/1.1 102 Processing\r\n\r\n".repeat(60);
    assert!(parser.on_bytes(&interim).unwrap().is_none());
    let fault = parser.on_bytes(&interim).unwrap_err();
    assert_eq!(fault.side, model::Side::Target);
    assert_eq!(
        fault.detail,
        "more than 100 interim responses (1xx) to one request"
    );
}

#[test]
fn what_comes_behind_a_response_is_told() {
    let mut parser = Parser::new(1000);
    let one = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    parser.expect(false);
    assert!(parser.on_bytes(&one.repeat(2)).unwrap().is_some());
    let unasked = parser.take_unasked().unwrap();
    assert!(
        unasked
            .detail
            .starts_with("received data without a request"),
        "{unasked}"
    );
    assert!(!parser.keeps_alive());
    parser.expect(false);
    assert!(
        parser
            .on_bytes(&[&one[..], b"\r\n"].concat())
            .unwrap()
            .is_some()
    );
    assert_eq!(parser.take_unasked(), None);
}
