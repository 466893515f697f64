"""The visit itself: what the browser complains about must not pass unseen."""


def test_visit__notes_whatever_goes_wrong(curator):
    curator.open("/admin/")
    assert curator.troubles == []

    curator.page.evaluate("console.error('broken')")
    curator.page.evaluate("alert('run by stored text')")
    curator.page.evaluate("setTimeout(() => { throw new Error('thrown') })")
    with curator.page.expect_response("**/nowhere"):
        curator.page.evaluate("fetch('/admin/nowhere')")
    curator.page.evaluate("document.body.style.width = '5000px'")
    curator.look("trouble")

    troubles, curator.troubles = curator.troubles, []
    for expected in (
        "console: broken",
        "dialog: run by stored text",
        "script: thrown",
        "/admin/nowhere: 404",
        "trouble: wider than the window (wide-light)",
    ):
        assert any(expected in trouble for trouble in troubles), expected
