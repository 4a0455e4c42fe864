"""Each person's work, done in the browser on the running product."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Product

pytestmark = pytest.mark.browser
ME = "/orgs/demo/me/memory"
TUTOR = "/orgs/demo/agents/python-tutor/memory"
TENANT = "/orgs/demo/memory"


def save(page: Page, text: str) -> None:
    """Type into the open dialog and save."""
    page.get_by_role("dialog").get_by_role("textbox", name=re.compile("memory", re.I)).fill(text)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()


def toast(page: Page, text: str) -> None:
    expect(page.locator("#toasts[role=status]")).to_contain_text(text)


def test_a_learner_tends_their_own_memory(product: Product) -> None:
    page = product.open("learner", ME)
    page.get_by_role("link", name="Add Memory", exact=True).click()
    save(page, "short")
    expect(page.get_by_role("dialog").get_by_label("Memory", exact=True)).to_be_focused()
    save(page, "I keep bees on the roof.")
    toast(page, "Memory created successfully")
    row = page.locator("#global-rows > li").filter(has_text="I keep bees on the roof.")
    row.get_by_role("link", name="Edit").click()
    save(page, "I keep bees in the garden.")
    toast(page, "Memory updated successfully")
    row = page.locator("#global-rows > li").filter(has_text="I keep bees in the garden.")
    expect(row.get_by_role("link", name="Edit")).to_be_focused()
    row.locator("summary").click()
    row.get_by_role("link", name="History").click()
    history = page.get_by_role("dialog", name="History")
    expect(history.locator("del").last).to_have_text("roof.")
    expect(history.locator("ins").last).to_have_text("garden.")
    page.keyboard.press("Escape")
    row.get_by_role("button", name="Delete").click()
    toast(page, "Memory deleted successfully")
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()


def test_the_same_without_scripts(product: Product) -> None:
    page = product.open("learner", ME, java_script_enabled=False)
    page.get_by_role("link", name="Add Memory", exact=True).click()
    page.get_by_label("Memory", exact=True).fill("short")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("group", name="There is a problem")).to_be_visible()
    page.get_by_label("Memory", exact=True).fill("I swim before breakfast.")
    page.get_by_role("button", name="Save").click()
    row = page.locator("#global-rows > li").filter(has_text="I swim before breakfast.")
    toast(page, "Memory created successfully")
    row.get_by_role("button", name="Delete").click()
    expect(row).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row).to_be_visible()
    switch = page.get_by_role("switch", name="Use my saved information in responses")
    switch.click()
    expect(switch).not_to_be_checked()
    switch.click()
    expect(switch).to_be_checked()


def test_a_session_that_ended_gives_the_typed_text_back(product: Product) -> None:
    page = product.open("curator", ME)
    page.get_by_role("link", name="Add Memory", exact=True).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.context.clear_cookies()
    save(page, "I teach on Tuesdays and Thursdays.")
    page.wait_for_url(re.compile("/login.next="))
    product.fill_in_sign_in(page, "curator")
    expect(page.get_by_label("Memory", exact=True)).to_have_value("I teach on Tuesdays and Thursdays.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#global-rows")).to_contain_text("I teach on Tuesdays and Thursdays.")


def test_a_curator_finds_and_corrects_what_an_agent_remembers(product: Product) -> None:
    product.api("learner", "POST", "/api/ai-agent/orgs/demo/users/learner/agents/python-tutor/agent-memories/", {"category_slug": "preferences", "content": "The user loves long zebra explanations."})  # fmt: skip
    page = product.open("curator", TUTOR)
    page.get_by_label("Search the text").press_sequentially("zebra")
    rows = page.locator("#memory-rows > li")
    expect(rows).to_have_count(1)
    expect(page.locator("#announcer")).to_have_text("1 memory")
    assert page.url.endswith("?q=zebra")
    rows.get_by_role("link", name="Edit").click()
    save(page, "The user loves short zebra explanations.")
    expect(rows).to_contain_text("Edited by")
    owner = product.open("learner", ME)
    expect(owner.locator("#agent-memories")).to_contain_text("short zebra explanations")


def test_a_curator_deletes_several_and_brings_them_back(product: Product) -> None:
    page = product.open("curator", TUTOR)
    total = page.locator("#memories [data-announce]").inner_text()
    for n in (0, 1):
        page.locator("[data-select]").nth(n).check()
    page.get_by_role("button", name="Delete selected").click()
    toast(page, "2 memories deleted successfully")
    expect(page.locator("#memories [data-announce]")).not_to_have_text(total)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#memories [data-announce]")).to_have_text(total)


def test_a_curator_adds_shared_memory_and_is_warned_of_personal_data(product: Product) -> None:
    page = product.open("curator", f"{TUTOR}/shared")
    page.get_by_role("link", name="Add Shared Memory").click()
    save(page, "Ask learner@example.org for the room.")
    page.get_by_role("button", name="Save anyway").click()
    row = page.locator("#shared-rows > li").filter(has_text="Ask learner@example.org")
    expect(row).to_be_visible()
    row.get_by_role("link", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Everyone who talks to this agent stops receiving it at once")
    dialog.get_by_role("button", name=re.compile("Delete")).click()
    expect(row).to_have_count(0)


def test_a_reader_looks_and_changes_nothing(product: Product) -> None:
    page = product.open("reader", TUTOR)
    expect(page.get_by_role("switch", name="Enable Memory")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#memory-rows")).not_to_contain_text("Edit:")
    expect(page.get_by_role("link", name="Categories")).to_be_visible()
    expect(page.locator("#memory-rows").get_by_role("button", name="Delete")).to_have_count(0)


def test_somebody_of_another_organisation_finds_nothing(product: Product) -> None:
    page = product.open("outsider", TUTOR)
    expect(page.get_by_role("heading", name="There is nothing at this address")).to_be_visible()


def test_an_admin_turns_memory_off_and_everybody_sees_why(product: Product) -> None:
    page = product.open("admin", TENANT)
    switch = page.get_by_role("switch", name="Memory system")
    switch.click()
    expect(switch).not_to_be_checked()
    expect(switch).to_be_focused()
    toast(page, "Memory setting updated")
    expect(page.locator("#memory-system-effect")).to_contain_text("cannot be recovered later")
    page.goto(product.installation.url + f"{TENANT}/activity")
    expect(page.locator("main .notice")).to_contain_text("New conversations are not remembered")
    mine = product.open("learner", ME)
    expect(mine.locator("#switch-capture-effect")).to_contain_text("the organisation has memory off since")
    page.goto(product.installation.url + TENANT)
    switch.click()
    expect(switch).to_be_checked()


def test_an_admin_invites_somebody_who_then_signs_in(product: Product) -> None:
    page = product.open("admin", "/orgs/demo/people")
    page.get_by_role("link", name="Invite").click()
    dialog = page.get_by_role("dialog", name="Invite a person")
    dialog.get_by_label("E-mail").fill("nadia@example.org")
    dialog.get_by_label("Username").fill("nadia")
    dialog.get_by_role("button", name="Create invitation link").click()
    link = page.locator("#secret").input_value()
    assert link.startswith(product.installation.url)
    guest = product.page()
    guest.goto(link)
    guest.get_by_label("New password", exact=True).fill("three quiet herons at dusk")
    guest.get_by_label("New password again").fill("three quiet herons at dusk")
    guest.get_by_role("button", name="Save and sign in").click()
    expect(guest.get_by_role("heading", name="My memory")).to_be_visible()
    page.reload()
    expect(page.locator("#secret")).to_have_count(0)


def test_an_admin_makes_and_revokes_a_token(product: Product) -> None:
    page = product.open("admin", "/orgs/demo/tokens")
    page.get_by_role("link", name="Create token").click()
    dialog = page.get_by_role("dialog", name="Create token")
    dialog.get_by_label("Name").fill("chat of the tests")
    dialog.get_by_label("context:read").check()
    dialog.get_by_role("button", name="Create token").click()
    expect(page.locator("#announcer")).to_have_text("Token “chat of the tests”")
    expect(page.locator("#secret")).not_to_have_value("")
    page.get_by_role("link", name="Revoke chat of the tests").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Revoke")).click()
    toast(page, "Token revoked")


def test_try_it_shows_the_block_and_why(product: Product) -> None:
    page = product.open("admin", TUTOR)
    page.get_by_role("link", name="Try it").click()
    page.locator("#try-user").fill("learner")
    page.locator("#try-message").fill("How do I sort a list?")
    page.get_by_role("button", name="Show what would be injected").click()
    expect(page.locator("#announcer")).to_have_text("The block that would be injected")
    expect(page.locator("#try-it pre")).to_contain_text("## ")
    expect(page.locator("#try-it tbody tr").first).to_be_visible()


def test_everything_is_reached_by_keyboard_alone(product: Product) -> None:
    page = product.open("learner", ME)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(page.locator("#switch-capture")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("#switch-capture")).not_to_be_checked()
    page.keyboard.press("Space")
    expect(page.locator("#switch-capture")).to_be_checked()
