import ipaddress

import pytest

from knowledge.fetching.addresses import (
    is_public,
    is_web_address,
    normalise_url,
    read_policy,
)
from knowledge.fetching.errors import AddressRefusedError


@pytest.mark.parametrize(
    "written",
    [
        "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254",
        "169.254.169.254", "172.16.0.1", "192.0.0.192", "192.168.1.1", "198.18.0.1", "224.0.0.1",
        "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1",
        "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1",
        "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe", "fc00::1", "fd00:ec2::254",
        "fe80::1", "fec0::1", "ff02::1", "2001:db8::1", "100::1", "5f00::1",
        "::ffff:0:7f00:1", "4000::1",
    ],
)  # fmt: skip
def test_is_public__refuses(written):
    assert not is_public(ipaddress.ip_address(written))


@pytest.mark.parametrize(
    "written", ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_is_public__allows(written):
    assert is_public(ipaddress.ip_address(written))


def test_read_policy__networks_addresses_and_names():
    policy = read_policy(["10.1.0.0/16", "192.168.7.7", "Wiki.Corp.", ""])

    assert policy.allows(ipaddress.ip_address("10.1.2.3"))
    assert policy.allows(ipaddress.ip_address("192.168.7.7"))
    assert not policy.allows(ipaddress.ip_address("10.2.0.1"))
    assert policy.allows_host("wiki.corp")
    assert not policy.allows_host("corp")
    assert not policy.allows_host("")


@pytest.mark.parametrize(
    ("written", "url"),
    [
        (" https://Example.org ", "https://example.org/"),
        ("HTTP://example.org/A?b=1#c", "http://example.org/A?b=1"),
        ("https://example.org:8443/x", "https://example.org:8443/x"),
    ],
)
def test_normalise_url__is_the_same_for_the_same_page(written, url):
    assert normalise_url(written) == url


@pytest.mark.parametrize(
    "written",
    [
        "", "file:///etc/passwd", "ftp://example.org/", "gopher://127.0.0.1/",
        "javascript:alert(1)", "data:text/html,x", "//example.org/", "example.org", "http://", "http:///x",
        "http://user:secret@example.org/", "http://example.org:0/", "http://example.org:99999/",
        "http://exa mple.org/", "http://example.org/\nHost: x", "http://example.org\\@127.0.0.1/",
        "http://[::1", "http://" + "a" * 2_000,
    ],
)  # fmt: skip
def test_normalise_url__refuses(written):
    with pytest.raises(AddressRefusedError) as caught:
        normalise_url(written)
    assert "secret" not in caught.value.message


def test_is_web_address__not_a_file_name():
    assert is_web_address("https://example.org/a")
    assert is_web_address("file:///etc/passwd")
    assert not is_web_address("notes/https")
    assert not is_web_address(r"C:\notes")
